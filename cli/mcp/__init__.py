"""The server for coding agents: the queries of `import epochal` as tools of the Model Context Protocol."""
