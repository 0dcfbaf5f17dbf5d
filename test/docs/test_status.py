"""Compares the status of a running daemon with its schema and the documents."""

import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from binary import Bench, NODE, binary, patchbay
from documents import ROOT, table_marked

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE
from plugin_call import call

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
  - name: lab.example.com/none
    match: {glob: /srv/line*, name: x}
"""


class Server(http.server.ThreadingHTTPServer):
    """Gives the next answer to each request, and keeps the request's path."""

    def __init__(self, answers):
        self.answers = answers
        self.paths = []
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%s" % self.server_port


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.paths.append(self.path)
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            for chunk in self.server.answers.pop(0):
                self.wfile.write(chunk)

    def log_message(self, *_):
        pass


def event(number, second, **more):
    return {"number": number, "at": f"2026-11-20T22:06:{second}Z", "kind": "ready", "level": "info",
            "message": "m", "resource": "a.io/x", "unit": f"u{second}", "fields": "", **more}


class Events(unittest.TestCase):
    def serve(self, *answers):
        server = Server(list(answers))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def test_watch_goes_on_with_the_next_daemon(self):
        lists = [
            [event(1, 10), event(2, 11)],
            [event(2, 11), event(3, 12)],
            [event(3, 40)],  # The next daemon has already had three events.
            [event(1, 30), event(2, 35), event(3, 40)],
        ]
        server = self.serve(*([json.dumps(events).encode()] for events in lists), [b"no list"])
        shown = patchbay("events", "--watch", "--from", server.url)
        self.assertEqual(shown.stderr, "patchbay: the server is not a Patchbay daemon\n")
        self.assertEqual(
            [line.split()[3] for line in shown.stdout.splitlines()],
            ["u10", "u11", "u12", "u30", "u35", "u40"])
        self.assertEqual(server.paths, ["/events?after=0", "/events?after=1", "/events?after=2",
                                        "/events?after=0", "/events?after=2"])

    def test_events_of_a_unit_contain_those_of_several_units(self):
        units = ["A,B", "B,A::1", "B", "AA,BA", "A", "B,… and 3 more"]
        events = [event(number, 10, unit=unit) for number, unit in enumerate(units, 1)]
        server = self.serve([json.dumps(events).encode()])
        shown = patchbay("events", "A", "--from", server.url, "-o", "json")
        self.assertEqual([one["unit"] for one in json.loads(shown.stdout)], ["A,B", "B,A::1", "A"])

    def test_time_of_a_hostile_server_is_escaped(self):
        server = self.serve([json.dumps([event(1, 10, at="\x1b[2J")]).encode()])
        shown = patchbay("events", "--from", server.url)
        self.assertEqual(shown.stdout, "\\x1b[2J  ready         a.io/x  u10  m\n")

    def test_endless_answer_is_refused_early(self):
        sent = []

        def endless():
            while True:
                sent.append(1 << 20)
                yield b"[" * (1 << 20)

        server = self.serve(endless())
        shown = patchbay("events", "--from", server.url)
        self.assertEqual(shown.stderr, f"patchbay: {server.url}: the answer has more than 8 MiB\n")
        self.assertLess(sum(sent), 32 << 20)  # The kernel's buffers hold a part of the answer.


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
        cls.addClassCleanup(cls.directory.cleanup)
        cls.socket = cls.directory.name + "/status.sock"
        cls.daemon = subprocess.Popen(
            [binary(), "run", "--standalone", "--status-socket", cls.socket,
             "--metrics-per-unit", *cls.bench.arguments()],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "NODE_NAME": NODE, "TMPDIR": cls.directory.name},
        )
        cls.addClassCleanup(cls.daemon.communicate, timeout=PATIENCE)
        cls.addClassCleanup(cls.daemon.terminate)
        for line in cls.daemon.stdout:
            if line.startswith("+ lab.example.com/line  line2  Healthy"):
                break
        call(cls.directory.name, "allocate", "lab.example.com/line", "line1")
        cls.wait_for(lambda: " 1\n" in cls.lines("patchbay_allocate_calls_total"))
        cls.wait_for(lambda: "_count" in cls.lines("patchbay_probe_duration_seconds"))

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
        text = self.get("/metrics")
        told = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
        # This daemon has no DRA driver, so those metrics are taken from the source.
        source = (ROOT / "src/render/dra_metrics.cpp").read_text()
        told |= dict(re.findall(r'\.family\("(\w+)", Type::(\w+)', source))
        told |= {name: "gauge" for name in re.findall(r'add_flag\("(\w+)"', source)}
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
        result = subprocess.run(
            ["promtool", "check", "metrics"], input=self.get("/metrics"), text=True,
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

    def test_events_are_as_their_schema_says(self):
        import jsonschema

        schema = json.loads((ROOT / "schemas/events.v1.schema.json").read_text())
        shown = patchbay("events", "--status-socket", self.socket, "-o", "json")
        for text in (shown.stdout, self.get("/events")):
            events = json.loads(text)
            jsonschema.Draft202012Validator(schema).validate(events)
            self.assertIn("registered", [event["kind"] for event in events])

    def test_events_of_a_resource_or_a_unit(self):
        def events(*words):
            shown = patchbay("events", *words, "--status-socket", self.socket, "-o", "json")
            self.assertEqual(shown.returncode, 0, shown.stderr)
            return [(event["resource"], event["unit"]) for event in json.loads(shown.stdout)]

        name = "lab.example.com/line"
        self.assertIn((name, "line1"), events("line1"))
        self.assertEqual({unit for _, unit in events("line1")}, {"line1"})
        self.assertEqual(events("line"), [event for event in events() if event[0] == name])
        self.assertEqual(events("line"), events(name))
        self.assertEqual(events("lin"), [])

    def test_an_empty_resource_shows_the_nearest_device(self):
        shown = patchbay("status", "none", "--status-socket", self.socket)
        self.assertRegex(
            shown.stdout,
            r"no unit is offered\n"
            r"\S+\.yaml:\d+: 2 devices compared; the nearest is /srv/line\d, but:\n"
            r'  name: "x": name is "line\d"\n$')

    def test_no_daemon(self):
        result = patchbay("status", "--status-socket", self.socket + "x")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"no daemon answers at {self.socket}x: No such file", result.stderr)


if __name__ == "__main__":
    unittest.main()
