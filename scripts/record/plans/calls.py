"""Short names for tool calls in plans."""


def read(path, offset=None, limit=None):
    arguments = {"path": path}
    if offset is not None:
        arguments["offset"] = offset
    if limit is not None:
        arguments["limit"] = limit
    return ("read", arguments)


def bash(command):
    return ("bash", {"command": command})


def write(path, content):
    return ("write", {"path": path, "content": content.lstrip("\n")})


def edit(path, old, new):
    return ("edit", {"path": path, "oldText": old.strip("\n"), "newText": new.strip("\n")})


def grep(pattern, path=None, glob=None):
    arguments = {"pattern": pattern}
    if path is not None:
        arguments["path"] = path
    if glob is not None:
        arguments["glob"] = glob
    return ("grep", arguments)
