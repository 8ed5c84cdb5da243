"""Traces: counterexamples, witnesses and simulated runs; replayed, explained and exported."""
