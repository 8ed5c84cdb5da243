"""The commands, one a file. Each module has one `command`, which `cli.main` imports when it is called."""
