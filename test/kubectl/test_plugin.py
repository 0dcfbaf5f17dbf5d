"""Tests deploy/kubectl/kubectl-patchbay in two shells, with fake_kubectl.py in place of kubectl.
The daemons of two nodes run on this machine."""

import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "fake"))
sys.path.append(str(ROOT / "test" / "docs"))
from patience import PATIENCE
from walkthrough import Walkthrough

PLUGIN = ROOT / "deploy/kubectl/kubectl-patchbay"
BINARY = os.path.abspath(os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay")
# Debian's sh and mawk, and busybox.
SHELLS = {"dash": ["dash"], "busybox": ["busybox", "sh"]}
APPLETS = ("awk", "mkdir", "mkfifo", "mktemp", "rm", "sed", "sort", "tail")
WHERE = "(selector app.kubernetes.io/name=patchbay, namespace patchbay)"
DIALING = "Error from server: error dialing backend: dial tcp 10.0.0.3:10250: i/o timeout"
VERSION = re.search(r"^project\(patchbay VERSION ([\d.]+)",
                    (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
TEXT = """apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/%s
    match: {glob: [/dev/ttyUSB*, /dev/video*]}
    id: $(name)
    envs: {DEVICE: $(id)}
"""


def pod(node, name, **more):
    """A Pod as the API server returns it. `more` replaces values of a healthy one."""
    conditions = [{"type": "PodScheduled", "status": "True"},
                  {"type": "Ready", "status": more.pop("ready", "True")}]
    metadata = {"name": name, "namespace": more.pop("namespace", "patchbay"),
                "labels": {"app.kubernetes.io/name": "patchbay"},
                "creationTimestamp": more.pop("created", "2026-11-20T10:00:00Z")}
    if "deleted" in more:
        metadata["deletionTimestamp"] = more.pop("deleted")
    status = {"phase": more.pop("phase", "Running"), "conditions": conditions}
    spec = {"nodeName": node} if node else {}
    return {"metadata": metadata, "spec": spec, "status": status, **more}


def without_ages(text):
    """The text with each age replaced by 0s, in cells of the same width."""
    text = re.sub(r"\b\d+[smhd]\b(?=,|$)", "0s", text, flags=re.MULTILINE)
    return re.sub(r"\b\d+[smhd]\b", lambda age: "0s".ljust(len(age[0])), text)


class Node:
    """A daemon with a socket, a configuration and a host."""

    def __init__(self, directory, name, resource, prefix, count):
        self.name = name
        self.pod = pod(name, f"patchbay-{name}", socket=str(directory / f"{name}.sock"),
                       config=str(directory / name), host=str(directory / f"{name}-host"))
        (directory / name).mkdir()
        (directory / name / "lab.yaml").write_text(TEXT % resource)
        devices = directory / f"{name}-host/dev"
        devices.mkdir(parents=True)
        for number in range(count):
            (devices / f"{prefix}{number}").touch()
        self._daemon = subprocess.Popen(
            [BINARY, "run", "--standalone", "--log-level", "error", "--status-socket",
             self.pod["socket"], "--config", self.pod["config"], "--host-root", self.pod["host"]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "NODE_NAME": name, "TMPDIR": str(directory)},
        )
        for line in self._daemon.stdout:
            if line.startswith("+ ") and f"{prefix}{count - 1} " in line:
                break

    def close(self):
        self._daemon.terminate()
        self._daemon.communicate(timeout=PATIENCE)

    def patchbay(self, command, *words):
        """The output of patchbay, called without kubectl."""
        return subprocess.run(
            [BINARY, command, *words], capture_output=True, text=True, timeout=PATIENCE,
            check=False, env={**os.environ, "NODE_NAME": self.name},
        ).stdout

    def status(self, *words):
        return self.patchbay("status", "--status-socket", self.pod["socket"], *words)


class Plugin(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        # The path of a socket must be short.
        directory = tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.nodes = []
        for node in (("bench-1", "uart", "ttyUSB", 2), ("bench-0", "any-camera", "video", 12)):
            cls.nodes.append(Node(cls.directory, *node))
            cls.addClassCleanup(cls.nodes[-1].close)
        cls.bench, cls.other = cls.nodes
        for shell in SHELLS:
            programs = cls.directory / shell
            programs.mkdir()
            fake = pathlib.Path(__file__).with_name("fake_kubectl.py")
            script = f"#!/bin/sh\nexec {sys.executable} -B {fake} \"$@\"\n"
            (programs / "kubectl").write_text(script)
            (programs / "kubectl").chmod(0o755)
        for applet in APPLETS:
            (cls.directory / "busybox" / applet).symlink_to(shutil.which("busybox"))

    def setUp(self):
        self.pods = [node.pod for node in self.nodes]

    def environment(self, shell):
        path = f"{self.directory / shell}:/usr/bin:/bin"
        (self.directory / "cluster.json").write_text(json.dumps(self.pods))
        (self.directory / "calls").write_text("")
        return {**os.environ, "PATH": path, "FAKE_CLUSTER": str(self.directory), "context": "wrong",
                "PATCHBAY_BINARY": BINARY, "TMPDIR": str(self.directory / shell)}

    def calls(self):
        """The calls of kubectl, without the columns of the list of Pods."""
        lines = (self.directory / "calls").read_text().splitlines()
        return [[word for word in json.loads(line) if not word.startswith("--output=custom")]
                for line in lines]

    def check(self, words, out="", err="", code=0, text=None):
        """Compares the whole output and the exit code in each shell."""
        for shell, program in SHELLS.items():
            done = subprocess.run(
                [*program, PLUGIN, *words], capture_output=True, text=True, timeout=PATIENCE,
                input=text, check=False, env=self.environment(shell),
            )
            with self.subTest(shell):
                self.assertEqual(done.stderr, err)
                self.assertEqual(without_ages(done.stdout), without_ages(out))
                self.assertEqual(done.returncode, code)

    LIST = ["--no-headers", "--ignore-not-found", "--sort-by=.metadata.creationTimestamp"]

    def list_of(self, *more, namespace="patchbay", selector="app.kubernetes.io/name=patchbay"):
        return ["-n", namespace, "get", "pods", f"--selector={selector}", *more, *self.LIST]

    def exec_in(self, name, *words, streams=()):
        return ["-n", "patchbay", "exec", *streams, name, "--container=patchbay", "--", "patchbay",
                *words]

    # The commands.

    def test_status_of_a_node_is_one_list_and_one_exec(self):
        self.check(["status", "bench-1"], self.bench.status())
        self.assertEqual(self.calls(), [
            self.list_of("--field-selector=spec.nodeName=bench-1"),
            self.exec_in("patchbay-bench-1", "status"),
        ])

    def test_arguments_of_the_command(self):
        self.check(["status", "bench-1", "--", "uart"], self.bench.status("uart"))
        self.check(["status", "bench-1", "--", "ttyUSB0", "-o", "wide"],
                   self.bench.status("ttyUSB0", "-o", "wide"))
        self.check(["status", "-o", "wide", "bench-1"], self.bench.status("-o", "wide"))
        self.check(["status", "bench-1", "--output=wide"], self.bench.status("-o", "wide"))
        self.assertEqual(self.calls()[1], self.exec_in(
            "patchbay-bench-1", "status", "--output", "wide"))

    def test_words_stay_whole(self):
        word = "a  b'\"$(touch x)`*\\"
        self.check(["suggest", "bench-1", word, "--as", ""], "ran suggest\n")
        self.assertEqual(self.calls()[1], self.exec_in(
            "patchbay-bench-1", "suggest", word, "--as", "", "--config", "/etc/patchbay"))

    def test_all_words_after_the_node_of_suggest_are_arguments(self):
        for words in (["bench-1", "--as", "uart", "can0"],
                      ["bench-1", "--", "--as", "uart", "can0"],
                      ["-n", "patchbay", "bench-1", "--as", "uart", "can0"]):
            self.check(["suggest", *words], "ran suggest\n")
            self.assertEqual(self.calls()[1], self.exec_in(
                "patchbay-bench-1", "suggest", "--as", "uart", "can0", "--config", "/etc/patchbay"))

    def test_discover_and_explain_have_the_configuration_of_the_pod(self):
        host = "--host-root", self.bench.pod["host"]
        words = "--config", self.bench.pod["config"], *host
        self.check(["discover", "bench-1"], self.bench.patchbay("discover", *words))
        self.check(["explain", "bench-1", "/dev/ttyUSB1", "-o", "json"],
                   self.bench.patchbay("explain", "/dev/ttyUSB1", "-o", "json", *words))
        self.check(["explain", "bench-1", "--", "/dev/ttyUSB1"],
                   self.bench.patchbay("explain", "/dev/ttyUSB1", *words))

    def test_another_configuration_from_standard_input(self):
        file = self.directory / "edit.yaml"
        file.write_text(TEXT % "edited")
        host = "--host-root", self.bench.pod["host"]
        out = self.bench.patchbay("discover", "--config", str(file), *host)
        self.assertIn("lab.example.com/edited", out)
        self.check(["discover", "bench-1", "--", "--config", "-"], out, text=TEXT % "edited")
        self.assertEqual(self.calls()[1], self.exec_in(
            "patchbay-bench-1", "discover", "--config", "-", streams=["-i"]))
        for words in (["-c", "x.yaml"], ["--config=x.yaml"]):
            self.check(["suggest", "bench-1", "/dev/null", *words], "ran suggest\n")
            self.assertEqual(self.calls()[1][-len(words) - 2 :], ["suggest", "/dev/null", *words])

    def test_snapshot_writes_a_machine_file(self):
        environment = self.environment("dash")
        done = subprocess.run([PLUGIN, "snapshot", "bench-1"], capture_output=True, text=True,
                              timeout=PATIENCE, check=False, env=environment)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertTrue(done.stdout.endswith("# end\n"))
        self.assertEqual(self.calls()[1], self.exec_in(
            "patchbay-bench-1", "snapshot", "--config", "/etc/patchbay"))

    def test_several_nodes_in_the_given_order(self):
        out = "".join(f"==> {node.name} <==\n{node.status()}" for node in self.nodes)
        self.check(["status", "bench-1", "bench-0"], out)
        self.assertEqual(self.calls()[0], self.list_of())
        self.check(["status", "bench-1", "bench-0", "--", "ttyUSB0"],
                   f"==> bench-1 <==\n{self.bench.status('ttyUSB0')}==> bench-0 <==\n",
                   "patchbay: no resource or unit has the name 'ttyUSB0'; the resources are"
                   " lab.example.com/any-camera\n"
                   "command terminated with exit code 2\n", 2)

    def test_json_of_several_nodes_has_no_headers(self):
        environment = self.environment("dash")
        done = subprocess.run([PLUGIN, "status", "bench-1", "bench-0", "-o", "json"],
                              capture_output=True, text=True, check=True, env=environment)
        first, end = json.JSONDecoder().raw_decode(done.stdout)
        second = json.loads(done.stdout[end:])
        self.assertEqual([first["node"], second["node"]], ["bench-1", "bench-0"])

    def test_watch_has_a_terminal_if_there_is_one(self):
        # Without one, the input is open as long as kubectl runs, which fake_kubectl.py checks.
        self.check(["events", "bench-1", "--watch"], "ran events\n")
        self.assertEqual(self.calls()[1], self.exec_in(
            "patchbay-bench-1", "events", "--watch", streams=["-i"]))
        self.check(["discover", "bench-1", "-w", "--", "--config", "-"], code=2,
                   err="kubectl-patchbay: --watch cannot read standard input; give a file instead"
                   " of -\n")
        # The plugin becomes kubectl by exec, so kubectl gets the signal.
        with subprocess.Popen([PLUGIN, "events", "bench-1", "-w"], stdout=subprocess.PIPE,
                              env=self.environment("dash")) as watch:
            self.assertEqual(watch.stdout.read(), b"ran events\n")
            self.assertEqual((self.directory / "pid").read_text(), str(watch.pid))
        for words in (["status", "-w", "bench-1"], ["status", "bench-1", "--", "--watch"]):
            outer, inner = pty.openpty()
            done = subprocess.run([PLUGIN, *words], stdin=inner, stdout=inner, check=False,
                                  timeout=PATIENCE, env=self.environment("dash"))
            os.close(inner)
            os.close(outer)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(self.calls()[1], self.exec_in(
                "patchbay-bench-1", "status", "--watch", streams=["-it"]))

    def test_options_of_kubectl(self):
        for words in (["-n", "lab", "-l", "a=b", "--context", "c d", "--kubeconfig", "/e f"],
                      ["-nlab", "-l=a=b", "--context", "c d", "--kubeconfig=/e f"],
                      ["--namespace=lab", "--selector=a=b", "--context=c d", "--kubeconfig=/e f"]):
            self.pods = [pod("bench-1", "p", namespace="lab", error="stop")]
            self.pods[0]["metadata"]["labels"] = {"a": "b"}
            for line in (["status", *words, "bench-1"], [*words, "status", "bench-1"],
                         ["status", "bench-1", *words]):
                self.check(line, err="stop\n", code=1)
                given = ["--context=c d", "--kubeconfig=/e f"]
                named = self.list_of("--field-selector=spec.nodeName=bench-1", namespace="lab",
                                     selector="a=b")
                first, second = self.calls()
                self.assertEqual(first, given + named)
                self.assertEqual(second[:6], [*given, "-n", "lab", "exec", "p"])

    def test_the_exit_code_is_that_of_the_command(self):
        (self.directory / "bad").mkdir(exist_ok=True)
        (self.directory / "bad/lab.yaml").write_text("kind: Config\n")
        self.pods = [{**self.bench.pod, "config": str(self.directory / "bad")}]
        for shell, program in SHELLS.items():
            done = subprocess.run([*program, PLUGIN, "explain", "bench-1", "/dev/ttyUSB1"],
                                  capture_output=True, check=False, env=self.environment(shell))
            self.assertEqual(done.returncode, 1, done.stderr)

    # The table.

    def table(self, *more, nodes=("bench-0", "bench-1")):
        rows = [
            "NODE     PATCHBAY  GENERATION  SINCE",
            *(f"{node}  {VERSION}     1           0s" for node in nodes),
            "",
            "NODE     RESOURCE                    UNITS  OK  BAD  REFUSED  ALLOCATE CALLS  "
            "STATE       SINCE  REASON",
            "bench-0  lab.example.com/any-camera  12     12  0    0        0               "
            "registered  0s",
            "bench-1  lab.example.com/uart        2      2   0    0        0               "
            "registered  0s",
            *more,
        ]
        return "".join(f"{row}\n" for row in rows)

    def test_all_nodes_are_one_table_in_the_order_of_their_names(self):
        self.check(["status", "--all-nodes"], self.table())
        self.assertEqual(sorted(self.calls()), sorted([
            self.list_of(),
            self.exec_in("patchbay-bench-0", "status"),
            self.exec_in("patchbay-bench-1", "status"),
        ]))

    def test_nodes_that_do_not_answer_are_named_and_the_others_shown(self):
        self.pods += [
            pod("c", "patchbay-c", error=DIALING), pod("d", "patchbay-d", phase="Pending"),
            pod("e", "patchbay-e", socket="/nowhere"), pod(None, "patchbay-f", phase="Pending"),
        ]
        self.check(
            ["status", "--all-nodes"], self.table(),
            f"kubectl-patchbay: node c: {DIALING}\n"
            "kubectl-patchbay: node d: its Pod is Pending; check: kubectl describe pod -n patchbay"
            " patchbay-d\n"
            "kubectl-patchbay: node e: patchbay: no daemon answers at /nowhere: No such file or"
            " directory; check that it runs on this machine and in this container, or give"
            " --status-socket or --from\n", 1,
        )
        self.pods = self.pods[2:3]
        self.check(["status", "--all-nodes"], "", f"kubectl-patchbay: node c: {DIALING}\n", 1)

    def test_a_node_whose_resources_are_all_excluded(self):
        (self.directory / "none").mkdir()
        node = Excluded(self.directory)
        self.addCleanup(node.close)
        self.pods = [node.pod, self.bench.pod]
        out = self.table(nodes=("bench-1", "none   ")).splitlines(keepends=True)
        del out[5]
        out[4:] = [re.sub(r"^(.{9})(.{28})", lambda m: f"{m[1]}{m[2].strip():41}", line)
                   for line in out[4:]]
        out.append("none     all resources are excluded on this node\n")
        self.check(["status", "--all-nodes"], "".join(out))

    def test_a_rejected_edit_is_shown_and_changes_the_exit_code(self):
        node = Node(self.directory, "bench-2", "uart", "ttyUSB", 2)
        self.addCleanup(node.close)
        (self.directory / "bench-2/lab.yaml").write_text("kind: Config\n")
        while "rejected" not in node.status():
            pass
        self.pods = [node.pod]
        out = self.table(nodes=["bench-2"]).replace("bench-1", "bench-2").splitlines(keepends=True)
        del out[4]
        error = ("kubectl-patchbay: node bench-2: an edit was rejected 0s ago;"
                 " run kubectl patchbay status bench-2\n")
        for shell, program in SHELLS.items():
            done = subprocess.run([*program, PLUGIN, "status", "--all-nodes"], capture_output=True,
                                  text=True, check=False, env=self.environment(shell))
            with self.subTest(shell):
                self.assertEqual(re.sub(r"\d+s ago", "0s ago", done.stderr), error)
                self.assertEqual(re.sub(" +", " ", without_ages(done.stdout)), re.sub(" +", " ", "".join(out)))
                self.assertEqual(done.returncode, 1)
        done = subprocess.run([PLUGIN, "status", "--all-nodes", "-o", "json"], check=False,
                              capture_output=True, env=self.environment("dash"))
        self.assertIn("reason", json.loads(done.stdout)["configuration"]["rejected"])
        self.assertEqual(done.returncode, 1)

    def test_all_nodes_as_json(self):
        self.pods += [pod("c", "patchbay-c", error=DIALING)]
        for words in (["-o", "json"], ["-o=json"], ["-ojson"], ["--output=json"]):
            done = subprocess.run([PLUGIN, "status", "--all-nodes", *words], capture_output=True,
                                  text=True, check=False, env=self.environment("dash"))
            first, end = json.JSONDecoder().raw_decode(done.stdout)
            second = json.loads(done.stdout[end:])
            self.assertEqual([first["node"], second["node"]], ["bench-0", "bench-1"])
            self.assertEqual(done.stderr, f"kubectl-patchbay: node c: {DIALING}\n")
            self.assertEqual(done.returncode, 1)

    def test_columns_that_only_some_nodes_have_and_text_with_spaces(self):
        head = "NODE     a, up 3d, patchbay 0.2.0, kernel 6.1\nCONFIG   generation 7 since 2m\n\n"
        self.pods = [
            pod("a", "patchbay-a", prints=f"{head}RESOURCE  UNITS  STATE       REASON\n"
                "lab/one   1      no kubelet  it says:  no\n"),
            pod("b", "patchbay-b", prints=f"{head}RESOURCE  UNITS  ALLOCATED  STATE       REASON\n"
                "lab/two   2      1          registered\n\nRESOURCE  ID\nlab/two   gone\n"),
        ]
        self.check(["status", "--all-nodes"],
                   "NODE  PATCHBAY  GENERATION  SINCE\n"
                   "a     0.2.0     7           2m\n"
                   "b     0.2.0     7           2m\n\n"
                   "NODE  RESOURCE  UNITS  ALLOCATED  STATE       REASON\n"
                   "a     lab/one   1                 no kubelet  it says:  no\n"
                   "b     lab/two   2      1          registered\n")

    def test_names_that_no_api_server_allows_become_neither_files_nor_options(self):
        self.pods += [{**self.bench.pod, **pod("../../evil", "patchbay-x")},
                      {**self.bench.pod, **pod("bench-2", "--context=evil")}]
        self.check(["status", "--all-nodes"], self.table())
        self.assertFalse((self.directory / "evil").exists())
        self.assertEqual(len(self.calls()), 3)

    def test_many_nodes_leave_no_file(self):
        names = [f"n{at}.example.com" for at in range(23)]
        self.pods = [pod(name, f"patchbay-{name}", error=f"error of {name}") for name in names]
        self.check(["status", "--all-nodes"], "", "".join(
            f"kubectl-patchbay: node {name}: error of {name}\n" for name in sorted(names)), 1)
        for shell in SHELLS:
            self.assertEqual(list((self.directory / shell).glob("tmp*")), [])

    # The choice of a Pod.

    def test_a_running_pod_is_preferred_then_a_ready_one_then_the_newest(self):
        def named(name, **more):
            return {**self.bench.pod, **pod("bench-1", name, **more)}

        for better, worse in (
            ({}, {"phase": "Pending"}),
            ({"ready": "False"}, {"phase": "Failed", "created": "2026-11-21T00:00:00Z"}),
            ({}, {"ready": "False", "created": "2026-11-21T00:00:00Z"}),
            ({"created": "2026-11-21T00:00:00Z"}, {}),
            ({"ready": "False"}, {"deleted": "2026-11-21T00:00:00Z"}),
        ):
            for names in ("ab", "ba"):
                self.pods = [named(names[0], **better), named(names[1], **worse)]
                self.check(["status", "bench-1"], self.bench.status())
                self.assertEqual(self.calls()[1], self.exec_in(names[0], "status"))

    # Errors.

    def test_a_node_without_a_running_pod(self):
        err = (f"kubectl-patchbay: node bench-9: no Pod of Patchbay runs there {WHERE}; check:"
               " kubectl get nodes\n")
        self.check(["status", "bench-9"], err=err, code=2)
        self.check(["status", "bench-1", "uart"],
                   f"==> bench-1 <==\n{self.bench.status()}==> uart <==\n",
                   err.replace("bench-9", "uart").replace(
                       "nodes\n", "nodes; write arguments of status after --\n"), 2)
        self.pods = [pod("bench-9", "patchbay-x", phase="Pending")]
        self.check(["snapshot", "bench-9"], err="kubectl-patchbay: node bench-9: its Pod is"
                   " Pending; check: kubectl describe pod -n patchbay patchbay-x\n", code=2)
        self.pods = []
        self.check(["status", "--all-nodes"], err="kubectl-patchbay: no Pod of Patchbay exists"
                   f" {WHERE}; check --namespace and --selector\n", code=2)

    def test_an_error_of_kubectl_is_shown_as_it_is(self):
        self.check(["status", "bench-1", "--context", "gone"],
                   err='error: context "gone" does not exist\n', code=1)
        self.assertEqual(len(self.calls()), 1)

    def test_wrong_command_lines(self):
        for words, error in {
            ("stauts", "bench-1"): "unknown command 'stauts'; see kubectl patchbay --help",
            ("status",): "no node is named; write kubectl patchbay status NODE",
            ("explain", "Bench_1"):
                "'Bench_1' is not the name of a node; write arguments of explain after --",
            ("status", "bench-1", "lab/uart"):
                "'lab/uart' is not the name of a node; write arguments of status after --",
            ("status", ""): "'' is not the name of a node; write arguments of status after --",
            ("status", ".a"): "'.a' is not the name of a node; write arguments of status after --",
            ("status", "a-"): "'a-' is not the name of a node; write arguments of status after --",
            ("status", "a,metadata.name=b"):
                "'a,metadata.name=b' is not the name of a node; write arguments of status after --",
            ("status", "bench-1", "--wide"):
                "unknown option --wide; write options of patchbay after --, see --help",
            ("status", "bench-1", "--wide=1"):
                "unknown option --wide; write options of patchbay after --, see --help",
            ("status", "bench-1", "-n"): "-n: the value is missing",
            ("snapshot", "a", "b"): "snapshot takes one NODE here; run it once for each node",
            ("events", "a", "b", "-w"): "events takes one NODE here; run it once for each node",
            ("discover", "a", "b", "--", "--config", "-"):
                "discover takes one NODE here; run it once for each node",
            **dict.fromkeys(
                [("events", "--all-nodes"), ("status", "a", "--all-nodes"),
                 ("status", "--all-nodes", "-w"), ("status", "--all-nodes", "-o", "wide"),
                 ("status", "--all-nodes", "--", "uart")],
                "--all-nodes is for status, alone or with -o json; remove other arguments"),
        }.items():
            with self.subTest(words):
                self.check(words, err=f"kubectl-patchbay: {error}\n", code=2)
                self.assertEqual(self.calls(), [])

    def test_help_and_version(self):
        lines = PLUGIN.read_text().splitlines()
        comment = [line[2:] for line in lines[1 : lines.index("set -u")]]
        self.check(["--help"], "".join(f"{line}\n" for line in comment))
        self.check([], "".join(f"{line}\n" for line in comment))
        self.check(["status", "-h"], "".join(f"{line}\n" for line in comment))
        self.assertLessEqual(max(map(len, comment)), 80)
        self.check(["--version"], f"kubectl-patchbay {VERSION}\n")

    def test_it_is_short_and_shellcheck_finds_nothing(self):
        self.assertLessEqual(len(PLUGIN.read_text().splitlines()), 190)
        done = subprocess.run(["shellcheck", PLUGIN], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "")

    # The documents.

    def test_the_commands_of_the_documents(self):
        programs = self.directory / "dash"
        (programs / "kubectl-patchbay").symlink_to(PLUGIN)
        (programs / "patchbay").symlink_to(BINARY)
        found = 0
        for name in ("workstation.md", "machine-files.md"):
            walk = Walkthrough(name)
            directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
            walk.write_files(directory)
            for step in walk.of("workstation"):
                commands = step.commands.replace("NODE", "bench-1")
                done = subprocess.run(
                    ["bash", "-euo", "pipefail", "-c", commands], cwd=directory, check=False,
                    capture_output=True, text=True, timeout=PATIENCE, env=self.environment("dash"),
                )
                with self.subTest(f"{name}:{step.line}"):
                    self.assertIn(done.returncode, (0, 3), done.stderr)
                    step.check(done.stdout)
                    found += 1
        self.assertGreater(found, 4)


class Excluded(Node):
    """A daemon whose only resource is for another node."""

    def __init__(self, directory):
        self.name = "none"
        self.pod = pod("none", "patchbay-none", socket=str(directory / "none.sock"))
        (directory / "none/lab.yaml").write_text(TEXT % "uart" + "    when: {node: other}\n")
        self._daemon = subprocess.Popen(
            [BINARY, "run", "--standalone", "--status-socket", self.pod["socket"], "--config",
             str(directory / "none")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env={**os.environ, "NODE_NAME": "none", "TMPDIR": str(directory)},
        )
        for line in self._daemon.stderr:
            if "excluded" in line:
                break


if __name__ == "__main__":
    unittest.main()
