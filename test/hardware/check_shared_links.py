"""Checks `discover` if devices without a serial claim the same link in by-id. A container could get
the wrong device, so each unit without the link is Unhealthy.

Exits with 77, which skips the test, for users other than root.
"""

import json
import sys

import checks

CONFIG = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/serial
    match: {subsystem: tty, usb: {vendor: "0403", serial: {exists: false}}}
    id: $(name)
    devices: [{hostPath: $(link.LINK), containerPath: /dev/uart$(slot)}]
"""
BY_ID = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART-if00-port0"
# All four devices claim the link by-id, and it leads to the last one.
EXPECTED = {
    "by-id": {
        f"ttyUSB{minor}": f"{BY_ID} leads to another device, char 188:7 instead of char 188:{minor} "
                          "(two devices have this link): use $(link.by-path)"
        for minor in (4, 5, 6)
    } | {"ttyUSB7": ""},
    "by-path": {f"ttyUSB{minor}": "" for minor in (4, 5, 6, 7)},
}


def reasons(host, link):
    """Why each unit is Unhealthy; empty if it is healthy."""
    (resource,) = checks.discover(host, CONFIG.replace("LINK", link))
    return {unit["id"]: unit["reason"] for unit in resource["units"]}


def check():
    with checks.made(checks.described("serial-bench")) as host:
        found = {link: reasons(host, link) for link in EXPECTED}
    if found == EXPECTED:
        return []
    return [f"expected {json.dumps(EXPECTED, indent=1)}\ngot {json.dumps(found, indent=1)}"]


if __name__ == "__main__":
    sys.exit(checks.run(check))
