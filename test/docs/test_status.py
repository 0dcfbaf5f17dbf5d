"""Compares the status of a running daemon with its schema and the documents."""

import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from binary import Bench, NODE, binary, patchbay
from documents import ROOT, table_marked

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE

CONFIG = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/line
    match: {glob: /srv/line*}
    id: $(name)
    envs: {LINE: $(id)}
    health: [{file: {/srv/state: ok}, period: 1s}]
  - name: lab.example.com/elsewhere
    when: {node: other}
    match: {glob: /srv/line*}
"""


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Status(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = Bench(["/srv/line1", "/srv/line2", "/srv/state"], CONFIG)
        (cls.bench.root / "srv/state").write_text("ok\n")
        cls.directory = tempfile.TemporaryDirectory()
        cls.socket = cls.directory.name + "/status.sock"
        cls.daemon = subprocess.Popen(
            [binary(), "run", "--standalone", "--status-socket", cls.socket,
             "--metrics-per-unit", *cls.bench.arguments()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "NODE_NAME": NODE},
        )
        for line in cls.daemon.stdout:
            if line.startswith("+ lab.example.com/line  line2  Healthy"):
                break
        cls.daemon.stdin.write("allocate lab.example.com/line line1\n")
        cls.daemon.stdin.flush()
        cls.wait_for(lambda: " 1\n" in cls.lines("patchbay_allocate_calls_total"))
        cls.wait_for(lambda: "_count" in cls.lines("patchbay_probe_duration_seconds"))

    @classmethod
    def tearDownClass(cls):
        cls.daemon.terminate()
        cls.daemon.communicate(timeout=PATIENCE)
        cls.directory.cleanup()

    @classmethod
    def wait_for(cls, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(cls.get("/metrics"))

    @classmethod
    def get(cls, path, accept="*/*"):
        connection = Connection(cls.socket)
        connection.request("GET", path, headers={"Accept": accept})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        assert answer.status == 200, text
        return text

    @classmethod
    def lines(cls, family):
        text = cls.get("/metrics")
        return "".join(f"{line}\n" for line in text.splitlines() if line.startswith(family))

    def test_the_status_is_as_its_schema_says(self):
        import jsonschema

        schema = json.loads((ROOT / "schemas/status.v1.schema.json").read_text())
        for text in (
            self.get("/status"),
            self.get("/status?units=false"),
            patchbay("status", "-o", "json", "--status-socket", self.socket).stdout,
        ):
            jsonschema.validate(json.loads(text), schema)
        self.assertEqual(json.loads(text)["podResources"]["state"], "disabled")

    def test_every_metric_is_documented_with_its_type_and_labels(self):
        text = self.get("/metrics", "application/openmetrics-text")
        families = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
        told = {}
        for family, kind in families.items():
            suffix = {"counter": "_total", "info": "_info"}.get(kind, "")
            told[family + suffix] = kind
        table = table_marked("metrics")
        self.assertEqual(
            told, {name: kind for name, kind in table.column("Type").items()}, str(table)
        )
        for name, labels in re.findall(r"^(\w+)\{(.*)\} ", text, re.M):
            name = re.sub(r"_(bucket|sum|count)$", "", name)
            for label in re.findall(r'(\w+)="', labels):
                if label != "le":
                    self.assertIn(f"`{label}`", table.column("Labels")[name], name)

    def test_the_metrics_are_as_prometheus_wants_them(self):
        self.assertTrue(shutil.which("promtool"), "scripts/setup --test installs it")
        for accept in ("text/plain",):
            result = subprocess.run(
                ["promtool", "check", "metrics"], input=self.get("/metrics", accept), text=True,
                capture_output=True,
            )
            self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))

    def test_the_commands(self):
        shown = patchbay("status", "--status-socket", self.socket)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"(?m)^NODE     bench-1, up \S+, patchbay ")
        self.assertRegex(
            shown.stdout, r"(?m)^lab.example.com/line  2      2   0    0        1               registered"
        )
        unit = patchbay("status", "line1", "--status-socket", self.socket, "-o", "json")
        self.assertEqual(json.loads(unit.stdout)["id"], "line1")
        nothing = patchbay("status", "line3", "--status-socket", self.socket)
        self.assertEqual(nothing.returncode, 2)
        self.assertEqual(
            nothing.stderr,
            "patchbay: no resource or unit has the name 'line3'; did you mean 'line1'?\n",
        )
        events = patchbay("events", "--status-socket", self.socket, "-o", "json")
        self.assertIn("registered", [event["kind"] for event in json.loads(events.stdout)])

    def test_no_daemon(self):
        result = patchbay("status", "--status-socket", self.socket + "x")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"no daemon answers at {self.socket}x: No such file", result.stderr)


if __name__ == "__main__":
    unittest.main()
