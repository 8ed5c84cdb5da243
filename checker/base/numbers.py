"""Numbers, sizes and times as people read them."""

from __future__ import annotations

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def counted(number: int, one: str, many: str = "") -> str:
    """`1 state`, `2,744 states`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def sized(number: int) -> str:
    """A size in bytes: `512 B`, `1.4 GiB`."""
    value, unit = float(number), 0
    while value >= 1024 and unit < len(UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {UNITS[unit]}" if unit == 0 or value >= 100 else f"{value:.1f} {UNITS[unit]}"


def timed(seconds: float) -> str:
    """A duration: `0.31 s`, `2 min 05 s`, `3 h 20 min`."""
    if seconds < 100:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min {rest:02} s"


def rated(number: float) -> str:
    """A rate in thousands or millions: `3.4 million`, `12,300`."""
    return f"{number / 1e6:.1f} million" if number >= 1e6 else f"{round(number, -2 if number >= 1000 else 0):,.0f}"
