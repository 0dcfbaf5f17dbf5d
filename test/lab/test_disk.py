"""Tests an NVMe disk with native multipath, whose facts change when controllers come and go."""

import unittest

from lab import COMPUTER, LabTest

# `pci.address` is absent while the disk has two controllers with different addresses.
CONFIG = """\
apiVersion: patchbay/v1
kind: Config
defaults: {domain: lab.example.com, linger: 0s}
resources:
  - name: disk
    match: {subsystem: block, devtype: disk, driver: nvme}
    id: disk
    claim: shared
  - name: single-path
    match: {subsystem: block, devtype: disk, pci: {address: {exists: true}}}
    id: $(pci.address)
    claim: shared
"""

DISK = "lab.example.com/disk"
SINGLE_PATH = "lab.example.com/single-path"
FIRST, SECOND = "0000:01:00.0", "0000:02:00.0"


@unittest.skipUnless("nvme" in COMPUTER.modules, "the computer has no such disk")
class Disk(LabTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.run_daemon(CONFIG)
        self.daemon.expect_units({(DISK, "disk"): "Healthy"})

    def test_facts_follow_the_controllers(self):
        self.machine.remove_controller(2)
        self.daemon.expect_changes(f"+ {SINGLE_PATH}  {FIRST}  Healthy")
        self.machine.add_controller(2)
        self.daemon.expect_changes(f"- {SINGLE_PATH}  {FIRST}")
        self.machine.remove_controller(1)
        self.daemon.expect_changes(f"+ {SINGLE_PATH}  {SECOND}  Healthy")
        self.machine.add_controller(1)
        self.daemon.expect_changes(f"- {SINGLE_PATH}  {SECOND}")


if __name__ == "__main__":
    unittest.main()
