"""What a cluster guarantees: its configuration read from files, its topics decided by searches, and what to change."""
