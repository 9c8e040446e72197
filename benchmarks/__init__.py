"""Benchmarks: how fast the simulator is, where its time goes, and where its peers stand."""
