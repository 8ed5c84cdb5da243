"""Specifications of Kafka's replication protocol, and the language they are written in."""

if __name__ == "spec":
    raise ImportError("import epochal.spec, or epochal.language: spec is only the folder's name")
