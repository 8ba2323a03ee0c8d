"""Notes as text."""

COLUMNS = (("number", 8), ("site", 5), ("species", 24), ("count", 6), ("seen_at", 17), ("observer", 10), ("revision", 3))


def table(notes):
    """One line a note; columns are cut, never wrapped."""
    lines = ["  ".join(name[:width].ljust(width) for name, width in COLUMNS).rstrip()]
    for note in notes:
        lines.append("  ".join(str(getattr(note, name))[:width].ljust(width) for name, width in COLUMNS).rstrip())
    lines.append(f"{len(notes)} notes")
    return "\n".join(lines)


def one(note):
    return "\n".join(f"{name:<11} {value}" for name, value in note.as_dict().items())
