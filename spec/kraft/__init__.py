"""The modern protocol, Kafka 2.7 to 4.x."""
