"""Questions asked of results, and the command line."""
