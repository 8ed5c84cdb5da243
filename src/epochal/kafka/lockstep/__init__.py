"""Kafka's own classes, driven step by step together with the specification."""
