#!/usr/bin/env python3
"""Tests that `suggest` exits with 2 if udev's database is on a file system that never answers."""

import ctypes
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "fake"))
from patience import PATIENCE  # noqa: E402

BINARY = os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")
CLONE_NEWNS, MS_NOSUID_NODEV, MS_PRIVATE_REC, MNT_DETACH = 0x20000, 6, 0x44000, 2
LIBC = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind, flags=0, options=None):
    if LIBC.mount(source, target, kind, flags, options) != 0:
        raise OSError(ctypes.get_errno(), target)


class HungUdev(unittest.TestCase):
    def setUp(self):
        self.assertEqual(LIBC.unshare(CLONE_NEWNS), 0)
        mount(None, b"/", None, MS_PRIVATE_REC)
        mount(b"patchbay", b"/run", b"tmpfs")
        os.makedirs("/run/udev/data")
        pathlib.Path("/run/udev/control").touch()
        server = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)  # Nobody answers its requests.
        self.addCleanup(os.close, server)
        options = f"fd={server},rootmode=40000,user_id=0,group_id=0"
        mount(b"patchbay", b"/run/udev/data", b"fuse", MS_NOSUID_NODEV, options.encode())
        self.addCleanup(LIBC.umount2, b"/run/udev/data", MNT_DETACH)

    def test_suggest_times_out(self):
        # Disables the leak check at the end, which would wait for the hung path.
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        for words in (["--all"], ["/dev/full"]):
            done = subprocess.run([BINARY, "suggest", *words], capture_output=True, text=True,
                                  check=False, timeout=PATIENCE, env=environment)
            with self.subTest(words):
                self.assertRegex(done.stderr, "/sys/.*: reading the devices timed out\n")
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
