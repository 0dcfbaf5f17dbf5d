"""Plugs and unplugs adapters faster than the daemon can process that."""

import unittest

from lab import SERIAL_EXAMPLE, UART, UART_AT_PORT, LabTest, at_port, example, short_linger

TIMES = 20


class Storm(LabTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.run_daemon(short_linger(example(SERIAL_EXAMPLE)))
        self.machine.plug("a", 1, serial="LAB1")
        self.machine.plug("b", 2)
        self.machine.plug("c", 7)  # At the end no other device has its node.
        self.daemon.expect_units({
            (UART, "LAB1"): "Healthy",
            (UART_AT_PORT, at_port(2)): "Healthy",
            (UART_AT_PORT, at_port(7)): "Healthy",
        })

    def test_the_kernel_sees_each_and_it_ends_right(self):
        for turn in range(TIMES // 2):
            self.machine.unplug("a")
            self.machine.plug("a", 3 + turn % 2, serial="LAB1")
            self.machine.unplug("b")
            self.machine.plug("b", 1 + turn % 2)
        self.machine.unplug_all()
        self.ends_right()

    def test_the_kernel_misses_most_and_it_ends_right(self):
        for _ in range(TIMES):
            self.machine.pull_out("a")
            self.machine.push_in("a", 1, serial="LAB1")
        self.machine.pull_out("a")
        self.machine.pull_out("b")
        self.machine.pull_out("c")
        self.ends_right()

    def ends_right(self):
        """Expects the right units: an adapter of the storm at a new port, and the last one."""
        nodes = {
            "LAB1": self.machine.plug("a", 5, serial="LAB1"),
            "LAB2": self.machine.plug("b", 6, serial="LAB2"),
        }
        self.daemon.expect_units({(UART, serial): "Healthy" for serial in nodes})
        for serial, node in nodes.items():
            (given,) = self.daemon.allocate(UART, serial)["devices"]
            self.assertEqual(self.node_behind(given["host_path"]), node)


if __name__ == "__main__":
    unittest.main()
