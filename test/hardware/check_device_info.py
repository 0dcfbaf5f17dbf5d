"""Checks that the daemon tells Multus of the virtual functions of a described machine, before the
kubelet has the list, and takes that back when it ends.

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
  - name: lab.example.com/vf
    match: {subsystem: pci, pci: {driver: iavf}}
    deviceInfo: pci
"""

# Keeps what is there when the first list is read, then has the daemon end.
SCRIPT = """
mkfifo input
"$PATCHBAY" run --standalone --log-level error --config config.yaml --device-info-dir info <input |
{
  exec 3>input
  while read -r sign rest && [ "$sign" != + ]; do :; done
  cp -r info listed
  echo quit >&3
  cat >/dev/null
}
"""

PHYSICAL = "0000:17:00.0"
EXPECTED = {
    f"lab.example.com-vf-0000:17:01.{number}-device.json": {
        "type": "pci",
        "version": "1.1.0",
        "pci": {"pci-address": f"0000:17:01.{number}", "pf-pci-address": PHYSICAL},
    }
    for number in range(4)
}


def files_in(directory):
    return {path.name: json.loads(path.read_text()) for path in directory.iterdir()}


def main():
    if os.geteuid() != 0:
        print("not root: no devices can be made")
        return SKIPPED
    binary = os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")
    host = Host(read_machine(HERE / "machines" / "sriov-nics.txt"))
    try:
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            (directory / "config.yaml").write_text(CONFIG)
            ran = host.run(["sh", "-c", SCRIPT], directory, {"PATCHBAY": binary})
            listed = files_in(directory / "listed") if (directory / "listed").exists() else {}
            left = files_in(directory / "info") if (directory / "info").exists() else {}
    finally:
        host.close()
    if listed != EXPECTED:
        print(f"expected {json.dumps(EXPECTED, indent=1)}\ngot {json.dumps(listed, indent=1)}")
    if left:
        print(f"left behind: {sorted(left)}")
    if listed != EXPECTED or left:
        print(ran.stdout)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
