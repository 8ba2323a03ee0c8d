"""Errors with the text that the person in the field sees."""


class FieldnotesError(Exception):
    """Base of all errors; `hint` says what to do about it."""

    hint = ""

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.hint = hint or self.hint


class BadNote(FieldnotesError):
    """A field of a note is missing or wrong."""


class Unreachable(FieldnotesError):
    """The server did not answer."""

    hint = "Move to a place with coverage and try again."


class Refused(FieldnotesError):
    """The server answered with an error."""

    def __init__(self, status, message):
        super().__init__(f"{status} {message}")
        self.status = status


class Conflict(Refused):
    """The note was changed by somebody else; `current` is the server's version."""

    def __init__(self, current):
        super().__init__(409, f"conflict: {current['number']} is at revision {current['revision']}")
        self.current = current
