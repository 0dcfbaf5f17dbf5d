"""Tests the output of `discover` on terminals, as whole screens."""

import re
import unittest

from bench import Bench
from screen import Screen

LINES = """  - name: line
    match: {glob: /dev/bench/line*}
    id: $(name)
    mounts: [{hostPath: $(path), containerPath: /line$(slot)}]
    health: [{file: {"/state/$(name)": ok}}]
  - name: shared-scope
    match: {glob: /dev/bench/scope*}
    share: {count: 3}
    devices: []
    envs: {S: $(name)}
  - name: late
    match: {glob: [/dev/bench/line2, /dev/bench/late*]}
    id: $(name)
    envs: {L: $(name)}
  - name: none
    match: {glob: /dev/none/*}
    id: $(name)
    envs: {N: $(name)}
"""
MANY = """  - name: port
    match: {glob: /dev/bench/port*}
    id: $(name)
    envs: {P: $(name)}
  - name: late
    match: {glob: [/dev/bench/port1, /dev/bench/late*]}
    id: $(name)
    envs: {P: $(name)}
"""


def without_ages(lines):
    return re.sub(r"(healthy +)\d+[smhd] +(?=\S)", r"\1AGE    ", lines)


class Table(unittest.TestCase):
    maxDiff = None

    def bench(self):
        bench = Bench(LINES)
        self.addCleanup(bench.__exit__)
        for name in ("line1", "line2", "line10"):
            bench.plug(f"/dev/bench/{name}")
        bench.plug("/dev/bench/scope-in-the-rack-by-the-window")
        bench.plug("/state/line1", "ok")
        bench.plug("/state/line2", "calibration is overdue since last summer")
        return bench

    def shown(self, *more, columns=80, rows=24, environment=None):
        bench = self.bench()
        with Screen(bench.command("discover", *more), columns, rows,
                    {**bench.environment(), **(environment or {})}, bench.path) as screen:
            self.assertEqual(screen.wait_for_end(), 0)
            self.written = screen.written.decode()
            return screen.lines()

    def test_eighty_columns(self):
        self.assertEqual(self.shown(), """\
RESOURCE       UNIT           STATE      SHARES  DEVICE         REASON
…ple.com/line  line1          healthy            …/bench/line1
…ple.com/line  line2          unhealthy          …/bench/line2  /state/line2 is…
…ple.com/line  line10         unhealthy          …bench/line10  /state/line10 i…
…shared-scope  scope-in-the…  healthy    3       …y-the-window
…ple.com/late  -              all claimed
…ple.com/none  -              no device matches

NOT OFFERED BY        KIND     UNIT   DEVICE            REASON
lab.example.com/late  claimed  line2  /dev/bench/line2  claimed by lab.example.…

no device matches lab.example.com/none (lab.yaml:20:12)
  checked no path that "/dev/none/*" finds: /dev/none does not exist, only /dev""")

    def test_a_narrow_terminal(self):
        self.assertEqual(self.shown(columns=50), """\
RESOURCE      UNIT      STATE      SHARES  DEVICE
…le.com/line  line1     healthy            …/line1
…le.com/line  line2     unhealthy          …/line2
…le.com/line  line10    unhealthy          …line10
…hared-scope  scope-i…  healthy    3       …window
…le.com/late  -         all claimed
…le.com/none  -         no device matches

NOT OFFERED BY  KIND     UNIT   DEVICE      REASON
…mple.com/late  claimed  line2  …nch/line2  claim…

no device matches lab.example.com/none
  (lab.yaml:20:12)
  checked no path that "/dev/none/*" finds:
    /dev/none does not exist, only /dev""")

    def test_wide_cuts_nothing(self):
        self.shown("-o", "wide")
        self.assertIn("is \"calibration is overdue since last summer\"", self.written)
        self.assertIn("/dev/bench/scope-in-the-rack-by-the-window", self.written)

    def test_columns_are_believed_before_the_terminal(self):
        self.assertEqual(self.shown(columns=80, environment={"COLUMNS": "50"}),
                         self.shown(columns=50))

    def test_no_color(self):
        self.shown(environment={"NO_COLOR": "1"})
        self.assertNotIn("\x1b", self.written)
        self.shown(environment={"TERM": "dumb"})
        self.assertNotIn("\x1b", self.written)
        self.shown()
        self.assertIn("\x1b[32mhealthy\x1b[0m", self.written)


class Watch(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.bench = Bench(MANY)
        self.addCleanup(self.bench.__exit__)
        for number in range(1, 13):
            self.bench.plug(f"/dev/bench/port{number}")

    def watch(self):
        screen = Screen(self.bench.command("discover", "--watch"), 80, 24,
                        self.bench.environment(), self.bench.path)
        self.addCleanup(screen.close)
        return screen

    def shows(self, screen, expected):
        """Waits for this screen, because it may be drawn only in part."""
        try:
            screen.wait_for(lambda lines: without_ages(lines) == expected)
        except AssertionError:
            self.assertEqual(without_ages(screen.lines()), expected)

    def test_each_table_replaces_the_last_one(self):
        screen = self.watch()
        screen.wait_for("claimed by")
        self.bench.plug("/dev/bench/port13")
        self.shows(screen, """\
RESOURCE              UNIT    STATE    SINCE  DEVICE             ID FROM  REASON
lab.example.com/port  port1   healthy  AGE    /dev/bench/port1   id
lab.example.com/port  port2   healthy  AGE    /dev/bench/port2   id
lab.example.com/port  port3   healthy  AGE    /dev/bench/port3   id
lab.example.com/port  port4   healthy  AGE    /dev/bench/port4   id
lab.example.com/port  port5   healthy  AGE    /dev/bench/port5   id
lab.example.com/port  port6   healthy  AGE    /dev/bench/port6   id
lab.example.com/port  port7   healthy  AGE    /dev/bench/port7   id
lab.example.com/port  port8   healthy  AGE    /dev/bench/port8   id
lab.example.com/port  port9   healthy  AGE    /dev/bench/port9   id
lab.example.com/port  port10  healthy  AGE    /dev/bench/port10  id
lab.example.com/port  port11  healthy  AGE    /dev/bench/port11  id
lab.example.com/port  port12  healthy  AGE    /dev/bench/port12  id
lab.example.com/port  port13  healthy  AGE    /dev/bench/port13  id
lab.example.com/late  -       all claimed

NOT OFFERED BY        KIND     UNIT   DEVICE            REASON
lab.example.com/late  claimed  port1  /dev/bench/port1  claimed by lab.example.…""")

    def test_it_leaves_the_terminal_as_it_is(self):
        screen = self.watch()
        screen.wait_for("claimed by")
        self.assertEqual(screen.modes(), screen.modes_before)
        screen.press("\x03")
        self.assertEqual(screen.wait_for_end(), 0)


if __name__ == "__main__":
    unittest.main()
