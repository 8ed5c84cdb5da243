"""Policies for Kubernetes, OPA and Kafka itself, generated from decided guarantees."""
