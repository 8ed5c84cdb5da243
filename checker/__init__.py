"""How specifications are checked: compiled, explored, replayed. Nothing here knows Kafka."""
