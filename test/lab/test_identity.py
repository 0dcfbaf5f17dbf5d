"""Serial adapters on USB have the example's unit ids, at any port and in any order of plugs."""

import unittest

from lab import (
    SERIAL_EXAMPLE, UART, UART_AT_PORT, LabTest, at_port, changed, example, short_linger,
)

def host_paths(answer):
    return [device["host_path"] for device in answer["devices"]]


class Identity(LabTest):
    def test_adapters_are_known_by_serial_or_by_port(self):
        nodes = {
            "A": self.machine.plug("a", 1, serial="LAB1"),
            "B": self.machine.plug("b", 2, serial="LAB2"),
            "C": self.machine.plug("c", 3),
            "D": self.machine.plug("d", 4),
        }
        daemon = self.run_daemon(example(SERIAL_EXAMPLE))
        daemon.expect_units({
            (UART, "LAB1"): "Healthy",
            (UART, "LAB2"): "Healthy",
            (UART_AT_PORT, at_port(3)): "Healthy",
            (UART_AT_PORT, at_port(4)): "Healthy",
        })
        answer = daemon.allocate(UART, "LAB2", "LAB1")
        by_id = "/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_LAB{}-if00-port0"
        self.assertEqual(host_paths(answer), [by_id.format(1), by_id.format(2)])
        self.assertEqual(answer["envs"]["UARTS"], "LAB1,LAB2")
        given = host_paths(answer) + host_paths(
            daemon.allocate(UART_AT_PORT, at_port(3), at_port(4))
        )
        self.assertEqual([self.node_behind(path) for path in given], list(nodes.values()))

    def test_a_unit_is_offered_when_its_link_is_there(self):
        daemon = self.run_daemon(example(SERIAL_EXAMPLE))
        node = self.machine.plug("a", 1, serial="LAB1")
        daemon.expect_changes(f"+ {UART}  LAB1  Healthy")
        self.assertEqual(self.node_behind(*host_paths(daemon.allocate(UART, "LAB1"))), node)

    def test_a_serial_goes_along_to_another_port(self):
        self.machine.plug("a", 1, serial="LAB1")
        daemon = self.run_daemon(short_linger(example(SERIAL_EXAMPLE)))
        daemon.expect_units({(UART, "LAB1"): "Healthy"})
        self.machine.unplug("a")
        daemon.expect_changes(f"~ {UART}  LAB1  Unhealthy", f"- {UART}  LAB1")
        node = self.machine.plug("a", 2, serial="LAB1")
        daemon.expect_changes(f"+ {UART}  LAB1  Healthy")
        self.assertEqual(self.node_behind(*host_paths(daemon.allocate(UART, "LAB1"))), node)

    def test_without_a_serial_the_port_names_it(self):
        self.machine.plug("a", 3)
        daemon = self.run_daemon(short_linger(example(SERIAL_EXAMPLE)))
        daemon.expect_units({(UART_AT_PORT, at_port(3)): "Healthy"})
        self.machine.unplug("a")
        daemon.expect_changes(
            f"~ {UART_AT_PORT}  {at_port(3)}  Unhealthy", f"- {UART_AT_PORT}  {at_port(3)}"
        )
        self.machine.plug("a", 4)
        daemon.expect_changes(f"+ {UART_AT_PORT}  {at_port(4)}  Healthy")

    def test_ids_stay_when_nodes_swap_their_names(self):
        config = changed(example(SERIAL_EXAMPLE), "$(link.by-id)", "$(devnode)")
        daemon = self.run_daemon(config)
        before = self.plug_both(daemon, "+", "LAB1", "LAB2")
        for name in before:
            self.machine.unplug(name)
            daemon.expect_changes(f"~ {UART}  {name}  Unhealthy")
        after = self.plug_both(daemon, "~", "LAB2", "LAB1")
        self.assertEqual((after["LAB1"], after["LAB2"]), (before["LAB2"], before["LAB1"]))
        self.assertEqual(
            host_paths(daemon.allocate(UART, "LAB1", "LAB2")), [after["LAB1"], after["LAB2"]]
        )

    def test_a_line_that_is_held_open_comes_back_under_another_node(self):
        daemon = self.run_daemon(example(SERIAL_EXAMPLE))
        before = self.machine.plug("a", 1, serial="LAB1")
        daemon.expect_changes(f"+ {UART}  LAB1  Healthy")
        self.hold_open(before)
        self.machine.unplug("a")
        daemon.expect_changes(f"~ {UART}  LAB1  Unhealthy")
        after = self.machine.plug("a", 1, serial="LAB1")
        self.assertNotEqual(after, before)
        daemon.expect_changes(f"~ {UART}  LAB1  Healthy")
        self.assertEqual(self.node_behind(*host_paths(daemon.allocate(UART, "LAB1"))), after)

    def plug_both(self, daemon, sign, first, second):
        """Plugs two adapters and returns their nodes."""
        nodes = {}
        for port, serial in enumerate((first, second), start=1):
            nodes[serial] = self.machine.plug(serial, port, serial)
            daemon.expect_changes(f"{sign} {UART}  {serial}  Healthy")
        return nodes


if __name__ == "__main__":
    unittest.main()
