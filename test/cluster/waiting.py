"""Waiting for what is to come, with a deadline and a word about what was there instead."""

import time


class TooLate(AssertionError):
    """What was waited for did not come."""


def until(condition, what: str, seconds: float = 60, every: float = 0.1):
    """What `condition` gives once that is true. When it is late, what was there last is told."""
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
