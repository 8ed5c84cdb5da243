"""The modern protocol, KRaft, Kafka 2.8 to 4.4."""
