"""Probes of a real serial line."""

import unittest

from lab import SERIAL_EXAMPLE, UART, LabTest, changed, example

PROBE = """    health:
      - open: $(devnode)
        period: 1s
        failureThreshold: 1
"""


class Health(LabTest):
    def test_open_sees_a_node_without_a_device(self):
        line = "    id: $(usb.serial)\n"
        daemon = self.run_daemon(changed(example(SERIAL_EXAMPLE), line, line + PROBE))
        node = self.machine.plug("a", 1, serial="LAB1")
        daemon.expect_changes(f"+ {UART}  LAB1  Healthy")
        self.afterwards(f"rm -f {node} /dev/kept")
        self.machine.run(f"cp -a {node} /dev/kept; mknod /dev/bad c 188 99; mv /dev/bad {node}")
        daemon.expect_changes(f"~ {UART}  LAB1  Unhealthy")
        self.machine.run(f"mv /dev/kept {node}")
        daemon.expect_changes(f"~ {UART}  LAB1  Healthy")

    def test_a_device_that_is_not_authorized_is_lost(self):
        """The device stays plugged, but no driver may use it."""
        daemon = self.run_daemon(example(SERIAL_EXAMPLE))
        self.machine.plug("a", 1, serial="LAB1")
        daemon.expect_changes(f"+ {UART}  LAB1  Healthy")
        switch = "/sys/bus/usb/devices/1-1/authorized"
        self.machine.run(f"echo 0 >{switch}")
        daemon.expect_changes(f"~ {UART}  LAB1  Unhealthy")
        self.machine.run(f"echo 1 >{switch}")
        daemon.expect_changes(f"~ {UART}  LAB1  Healthy")


if __name__ == "__main__":
    unittest.main()
