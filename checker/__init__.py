"""How specifications are checked: compiled, explored, replayed. Nothing here knows Kafka."""

if __name__ == "checker":
    raise ImportError("import epochal.checker: checker is only the folder's name")
