"""The files that say how a cluster is configured, each read by a module of its own."""
