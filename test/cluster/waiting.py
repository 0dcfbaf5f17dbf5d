"""Waits for conditions with a deadline. A timeout reports the last value."""

import time


class TooLate(AssertionError):
    """The condition did not become true in time."""


def until(condition, what: str, seconds: float = 60, every: float = 0.1):
    """Returns the first true value of `condition`. A timeout reports the last value."""
    deadline = time.monotonic() + seconds
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
            last = value
        except (AssertionError, KeyError, LookupError, OSError, RuntimeError, ValueError) as error:
            last = error
        if time.monotonic() > deadline:
            raise TooLate(f"after {seconds:g} s not yet: {what}; last: {last!r}")
        time.sleep(every)
