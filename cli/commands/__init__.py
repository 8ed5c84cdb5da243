"""The commands: a module has one, called `command`, or some that belong together. `cli.main` imports what is called."""
