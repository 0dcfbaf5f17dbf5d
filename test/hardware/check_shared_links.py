"""Checks what `discover` says where devices without a serial want the same link in by-id: a
container could get the wrong one, so each unit that udev did not give the link to is Unhealthy.

Ends with 77, which skips the test, for other users than root.
"""

import json
import os
import pathlib
import sys
import tempfile

from host import Host
from machine import read_machine

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77

CONFIG = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/serial
    match: {subsystem: tty, usb: {vendor: "0403", serial: {exists: false}}}
    id: $(name)
    devices: [{hostPath: $(link.LINK), containerPath: /dev/uart$(slot)}]
"""
BY_ID = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART-if00-port0"
# All four want it, and the last one has it.
EXPECTED = {
    "by-id": {
        f"ttyUSB{minor}": f"{BY_ID} leads to another device, char 188:7 instead of char 188:{minor} "
                          "(two devices have this link): use $(link.by-path)"
        for minor in (4, 5, 6)
    } | {"ttyUSB7": ""},
    "by-path": {f"ttyUSB{minor}": "" for minor in (4, 5, 6, 7)},
}


def reasons(host, link):
    """Why each unit is Unhealthy; empty: it is healthy."""
    binary = os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "config.yaml").write_text(CONFIG.replace("LINK", link))
        ran = host.run([binary, "discover", "--output", "json", "config.yaml"], directory, {})
    (resource,) = json.loads(ran.stdout)["resources"]
    return {unit["id"]: unit["reason"] for unit in resource["units"]}


def main():
    if os.geteuid() != 0:
        print("not root: no devices can be made")
        return SKIPPED
    host = Host(read_machine(HERE / "machines" / "serial-bench.txt"))
    try:
        found = {link: reasons(host, link) for link in EXPECTED}
    finally:
        host.close()
    if found == EXPECTED:
        return 0
    print(f"expected {json.dumps(EXPECTED, indent=1)}\ngot {json.dumps(found, indent=1)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
