"""Specifications of Kafka's replication protocol, and the language they are written in."""
