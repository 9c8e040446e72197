"""The rules, a file a chapter: what is legal and what it does, side by side."""
