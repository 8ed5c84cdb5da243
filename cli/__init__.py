"""The command line of Epochal."""
