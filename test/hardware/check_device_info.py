"""Checks the daemon's device-info files for Multus about the virtual functions of a described
machine. They must exist before the kubelet has the list, and be removed when the daemon ends.

Exits with 77, which skips the test, for users other than root.
"""

import json
import pathlib
import sys
import tempfile

import checks

CONFIG = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/vf
    match: {subsystem: pci, pci: {driver: iavf}}
    deviceInfo: pci
"""

# Starts the daemon, records the files at the time of the first list, and ends the daemon.
SCRIPT = """
mkfifo lists
"$PATCHBAY" run --standalone --log-level error --config config.yaml --device-info-dir info >lists &
exec 3<lists
while read -r sign rest <&3 && [ "$sign" != + ]; do :; done
cp -r info listed
kill $!
wait $!
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


def check():
    with (
        checks.made(checks.described("sriov-nics")) as host,
        tempfile.TemporaryDirectory() as name,
    ):
        directory = pathlib.Path(name)
        (directory / "config.yaml").write_text(CONFIG)
        ran = host.run(["sh", "-c", SCRIPT], directory, {"PATCHBAY": checks.BINARY})
        listed = files_in(directory / "listed") if (directory / "listed").exists() else {}
        left = files_in(directory / "info") if (directory / "info").exists() else {}
    complaints = []
    if listed != EXPECTED:
        complaints.append(
            f"expected {json.dumps(EXPECTED, indent=1)}\ngot {json.dumps(listed, indent=1)}"
        )
    if left:
        complaints.append(f"left behind: {sorted(left)}")
    if complaints:
        complaints.append(ran.stdout)
    return complaints


if __name__ == "__main__":
    sys.exit(checks.run(check))
