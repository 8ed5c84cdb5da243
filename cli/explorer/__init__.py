"""The explorer: a local page on which people step through a protocol, branch, and ask."""
