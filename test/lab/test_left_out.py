"""Runs the tests of arm64 that fail in an emulated process. Here the kernel is emulated, too."""

import re
import unittest

from lab import ARCHITECTURE, ROOT, LabTest

LEFT_OUT = ROOT / "test/emulated_left_out.txt"
MOUNTED = "/tmp/tests"


def left_out():
    """(regular expression of names, program) of the tests that run here."""
    for line in LEFT_OUT.read_text().splitlines():
        pattern, _, *program = line.split("\t") if not line.startswith("#") else ("", "")
        if program:
            yield pattern, program[0]


def names(listed):
    """The output of --gtest_list_tests: suites, and below each its tests."""
    suite = ""
    for line in listed.splitlines():
        name = line.partition("#")[0].rstrip()
        if name.startswith("  "):
            yield suite + name.strip()
        elif name.endswith("."):
            suite = name


@unittest.skipUnless(ARCHITECTURE == "arm64", "of amd64 none is left out")
class LeftOut(LabTest):
    def setUp(self):
        super().setUp()
        self.machine.run(f"mkdir -p {MOUNTED}")
        self.machine.run(f"mount -t 9p -o ro,trans=virtio,version=9p2000.L tests {MOUNTED}")
        self.afterwards(f"umount {MOUNTED}")

    def test_they_pass_with_a_kernel(self):
        for pattern, program in left_out():
            with self.subTest(pattern):
                program = f"{MOUNTED}/{program}"
                listed = names(self.machine.run(f"{program} --gtest_list_tests"))
                wanted = [name for name in listed if re.search(pattern, name)]
                printed = self.machine.run(f"{program} --gtest_filter={':'.join(wanted)}")
                passed = int(re.search(r"^\[  PASSED  \] (\d+) tests?\.$", printed, re.M)[1])
                self.assertEqual(passed, len(wanted))
                self.assertGreater(passed, 0)


if __name__ == "__main__":
    unittest.main()
