"""The command line: one file a command, rendering in one place. Nothing here knows how a search works."""
