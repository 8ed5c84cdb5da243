"""Steps and properties beside the core of the modern protocol: what only some questions or some holes need."""
