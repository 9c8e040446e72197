"""Charts of answers, as Altair charts."""
