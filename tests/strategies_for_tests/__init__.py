"""Compiled players and probes that only tests need."""
