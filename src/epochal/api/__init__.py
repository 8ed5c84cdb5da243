"""The front door: what `import epochal` offers, one question a file, each answered as a result that prints itself."""
