"""Sends commands to a running QEMU in its Machine Protocol, with a JSON object in each line."""

import json

from lines import Lines


class Refused(Exception):
    """QEMU refused a command."""


class Qmp:
    def __init__(self, socket):
        self._lines = Lines("qemu", socket)
        self._events = []
        self._next(lambda message: "QMP" in message, "greeting")
        self.order("qmp_capabilities")

    def order(self, command, **arguments):
        self._lines.send(json.dumps({"execute": command, "arguments": arguments}))
        answer = self._next(lambda message: "event" not in message, f"answer to {command}")
        if "error" in answer:
            raise Refused(f"{command}: {answer['error']['desc']}")
        return answer["return"]

    def wait_for(self, event, **data):
        """Waits for an event that no call has returned. It may have arrived earlier."""
        def fits(message):
            return message.get("event") == event and data.items() <= message["data"].items()

        for known in filter(fits, self._events):
            self._events.remove(known)
            return
        self._next(fits, f"event {event}")

    def _next(self, wanted, what):
        """Waits for the next message that satisfies `wanted`. Keeps other events."""
        while True:
            message = json.loads(self._lines.until(lambda _: True, what)[-1])
            if wanted(message):
                return message
            if "event" in message:
                self._events.append(message)
