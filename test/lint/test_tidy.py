"""Tests which files tidy.py checks again."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import tidy

# Replaces clang-tidy: records the file, and reports a finding if it contains BAD.
FAKE = """#!/bin/sh
for file; do :; done
echo "${file##*/}" >>"$CALLS"
! grep -n BAD "$file" | sed "s|^\\([0-9]*\\):|$file:\\1:1: error: |" | grep .
"""


class Tidy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name) / "tree"
        self.cache = pathlib.Path(scratch.name) / "cache"
        self.calls = pathlib.Path(scratch.name) / "calls"
        self.flags = "-O0"
        self.tools = b"clang-tidy 19"
        self.more = []
        environment = mock.patch.dict(os.environ, CALLS=str(self.calls))
        environment.start()
        self.addCleanup(environment.stop)
        self.write("fake-tidy", FAKE).chmod(0o755)
        self.write(".clang-tidy", "Checks: '*'")
        self.write("src/a.cpp", '#include "deep/a.h"\n#include "made.h"\n#include <vector>\n')
        self.write("made/made.h", "")
        self.write("src/deep/a.h", '#pragma once\n#include "base/b.h"\n')
        self.write("src/base/b.h", "#pragma once\n")
        self.write("src/other.cpp", "int other;\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def checked(self):
        """The files that a run checks, sorted by name."""
        self.calls.write_text("")
        files = [self.root / "src/a.cpp", self.root / "src/other.cpp", *self.more]
        self.write("build/compile_commands.json", json.dumps([
            {"file": str(f), "command": f"g++ {self.flags} -I{self.root}/src "
             f"-isystem {self.root}/made -c {f}"} for f in files
        ]))
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            self.failures = tidy.lint(self.root, self.root / "build", files, self.cache,
                                      [str(self.root / "fake-tidy")], self.tools)
        return sorted(self.calls.read_text().split())

    def test_clean_files_are_not_checked_again(self):
        self.assertEqual(self.checked(), ["a.cpp", "other.cpp"])
        self.assertEqual(self.failures, 0)
        self.assertEqual(self.checked(), [])
        self.assertIn("2 files, 2 known to be clean", self.said.getvalue())

    def test_a_clean_copy_elsewhere_is_known(self):
        self.checked()
        self.root = self.root.rename(self.root.with_name("moved"))
        self.assertEqual(self.checked(), [])

    def test_a_file_made_of_files_is_as_clean_as_they_are(self):
        self.write("build/src/made.cpp", f'#include "{self.root}/src/other.cpp"\n')
        self.more = [self.root / "build/src/made.cpp"]
        self.assertEqual(self.checked(), ["a.cpp", "made.cpp", "other.cpp"])
        self.root = self.root.rename(self.root.with_name("moved"))
        self.write("build/src/made.cpp", f'#include "{self.root}/src/other.cpp"\n')
        self.more = [self.root / "build/src/made.cpp"]
        self.assertEqual(self.checked(), [], "a copy elsewhere")
        self.write("src/other.cpp", "int another;\n")
        self.assertEqual(self.checked(), ["made.cpp", "other.cpp"])

    def test_what_is_compiled_is_checked(self):
        self.checked()
        build = self.root / "build"
        commands = json.loads((build / "compile_commands.json").read_text())
        commands += [{"file": str(build / "proto/made.cc"), "command": ""},
                     {"file": str(build / "test/host/made.cxx"), "command": ""}]
        self.write("build/compile_commands.json", json.dumps(commands))
        self.assertEqual([str(tidy.name_of(f, self.root, build))
                          for f in tidy.compiled_files(self.root, build)],
                         ["test/host/made.cxx", "src/a.cpp", "src/other.cpp"])

    def test_what_is_read_decides(self):
        self.checked()
        self.write("src/base/b.h", "#pragma once\n// NOLINT\n")
        self.assertEqual(self.checked(), ["a.cpp"], "a comment in a header of a header")
        self.write("made/made.h", "#pragma once\n")
        self.assertEqual(self.checked(), ["a.cpp"], "a header that the build made")
        self.write("src/other.cpp", "int another;\n")
        self.assertEqual(self.checked(), ["other.cpp"], "the file")
        self.write("src/base/.clang-tidy", "Checks: '-*'")
        self.assertEqual(self.checked(), ["a.cpp", "other.cpp"], "a configuration")
        self.flags = "-O2"
        self.assertEqual(self.checked(), ["a.cpp", "other.cpp"], "the command")
        self.tools = b"clang-tidy 20"
        self.assertEqual(self.checked(), ["a.cpp", "other.cpp"], "clang-tidy")

    def test_a_header_that_comes_to_hide_another_counts(self):
        self.checked()
        self.write("src/deep/base/b.h", "#pragma once\n")
        self.assertEqual(self.checked(), ["a.cpp"])

    def test_what_fails_is_never_known(self):
        self.write("src/other.cpp", "int BAD;\n")
        for _ in range(2):
            self.assertIn("other.cpp", self.checked())
            self.assertEqual(self.failures, 1)
            self.assertIn("src/other.cpp:1:1: error: int BAD", self.said.getvalue())

    def test_what_says_no_finding_but_fails_says_why(self):
        self.write("fake-tidy", "#!/bin/sh\necho cannot start >&2\nexit 3\n")
        self.checked()
        self.assertEqual(self.failures, 2)
        self.assertIn("cannot start", self.said.getvalue())

    def test_old_keys_go(self):
        self.checked()
        for key in self.cache.iterdir():
            os.utime(key, (0, 0))
        self.write("src/a.cpp", "int a;\n")
        self.write("src/other.cpp", "int other2;\n")
        self.checked()
        self.assertEqual(len(list(self.cache.iterdir())), 2)


if __name__ == "__main__":
    unittest.main()
