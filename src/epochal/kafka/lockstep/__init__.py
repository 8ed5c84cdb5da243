"""Apache Kafka's own classes in a JVM of their own, driven step by step with the specification."""
