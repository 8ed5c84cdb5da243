"""Kafka's own classes in a JVM, with the specification beside them."""
