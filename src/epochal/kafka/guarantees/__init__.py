"""What Kafka guarantees under which faults, decided by searches; the usual answers come with the package."""
