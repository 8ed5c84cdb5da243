"""The command line: one file a command, rendering in one place. Nothing here knows how a search works."""

if __name__ == "cli":
    raise ImportError("import epochal.cli: cli is only the folder's name")
