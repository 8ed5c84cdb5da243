"""A protocol as a TLA+ module with a configuration, which TLC reads, and what TLC says of it."""
