"""Events as text: a time line for people."""


def timeline(events, key=None):
    """One line per event, with the time since the event before. `key` restricts it to one key."""
    chosen = [e for e in events if key is None or e.key == key]
    lines = ["        time     delta  kind        key"]
    before = None
    for event in chosen:
        delta = "" if before is None else f"{event.at - before:+9.4f}"
        lines.append(f"{event.at:12.4f} {delta:>9}  {event.kind:<10}  {event.key}" + (f"  [{event.note}]" if event.note else ""))
        before = event.at
    return "\n".join(lines)


def summary(events):
    """Counts by kind and by key, the busiest keys first."""
    kinds, keys = {}, {}
    for event in events:
        kinds[event.kind] = kinds.get(event.kind, 0) + 1
        keys[event.key] = keys.get(event.key, 0) + 1
    busiest = sorted(keys.items(), key=lambda item: (-item[1], item[0]))[:10]
    lines = [f"{len(events)} events"]
    lines += [f"  {kind:<10} {count:6d}" for kind, count in sorted(kinds.items())]
    lines += ["busiest keys"] + [f"  {key:<24} {count:6d}" for key, count in busiest]
    return "\n".join(lines)
