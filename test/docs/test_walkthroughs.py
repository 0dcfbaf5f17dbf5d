"""Runs the commands of documents. Those for a node run here unchanged.
test/cluster/test_documents.py runs those for a cluster. Commands without a runner are checked
against kubectl here."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

from binary import PATIENCE, binary
from documents import ROOT, Document
from walkthrough import Walkthrough, kubectl_lines

LEADING = ("install.md", "first-device.md", "dra.md", "operations.md", "symptoms.md")


def run(commands, directory):
    """The output of the commands on both streams; the first failure ends them."""
    (directory / "bin").mkdir(exist_ok=True)
    if not (directory / "bin/patchbay").exists():
        (directory / "bin/patchbay").symlink_to(os.path.abspath(binary()))
    path = f"{directory}/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], cwd=directory, capture_output=True, text=True,
        timeout=PATIENCE, env={**os.environ, "PATH": path, "NODE_NAME": "node"}, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {commands}{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Walkthroughs(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    @unittest.skipUnless(os.geteuid() == 0, "only root plugs a disk")
    def test_the_first_device_on_a_node(self):
        self.follow_with_disk("first-device.md", 8)

    @unittest.skipUnless(os.geteuid() == 0, "only root plugs a disk")
    def test_the_first_device_by_dra_on_a_node(self):
        self.follow_with_disk("dra.md", 3)

    def follow_with_disk(self, name, count):
        """Runs the commands for a node, of which there are at least `count`."""
        walk = Walkthrough(name)
        walk.write_files(self.directory)
        # Uses another directory, because a user may follow the document on this machine.
        own = f"{self.directory}/first.img"
        self.addCleanup(self.detach, own)
        for name, text in walk.files.items():
            (self.directory / name).write_text(text.replace("/var/tmp/first.img", own))
        steps = walk.of("node")
        self.assertGreaterEqual(len(steps), count)
        for step in steps:
            with self.subTest(step.line):
                step.prints = [s.replace("/var/tmp/first.img", own) for s in step.prints]
                step.check(run(step.commands.replace("/var/tmp/first.img", own), self.directory))

    @staticmethod
    def detach(file):
        list_them = ["losetup", "--noheadings", "--output", "NAME", "--associated", file]
        left = subprocess.run(list_them, capture_output=True, text=True, check=False).stdout
        for name in left.split():
            subprocess.run(["losetup", "--detach", name], check=False)

    def test_the_configuration_of_install_is_accepted_as_shown(self):
        walk = Walkthrough("install.md")
        walk.write_files(self.directory)
        (step,) = [s for s in walk.of("node") if "validate" in s.commands]
        run(step.commands, self.directory)

    def test_what_symptoms_looks_at_on_a_node(self):
        steps = Walkthrough("symptoms.md").of("node")
        self.assertGreater(len(steps), 2)
        for step in steps:
            with self.subTest(step.line):
                # The machine of the test may lack the runtime's command and udev's database.
                run("ctr() { :; }; ls() { command ls \"$@\" || true; }\n" + step.commands,
                    self.directory)

    def test_recording_this_machine(self):
        walk = Walkthrough("machine-files.md")
        walk.write_files(self.directory)
        steps = walk.of("node")
        self.assertEqual(len(steps), 2)
        for step in steps:
            with self.subTest(step.line):
                step.check(run(step.commands, self.directory))

    def test_rules_in_git(self):
        walk = Walkthrough("rules-in-git.md")
        walk.write_files(self.directory)
        steps = walk.of("node")
        self.assertEqual(len(steps), 3)
        for step in steps:
            with self.subTest(step.line):
                step.check(run(step.commands, self.directory))
        jobs = dict(self.commands_of_jobs(walk.jobs))
        self.assertEqual(len(jobs), 3)
        for name, commands in jobs.items():
            with self.subTest(name):
                self.assertEqual(len(commands), 2)
                for command in commands:
                    run(command, self.directory)
        rules = self.directory / "rules/lab.yaml"
        rules.write_text(rules.read_text().replace("$(name)", "other-$(name)"))
        for name, (validates, tests) in jobs.items():
            with self.subTest(name):
                run(validates, self.directory)
                with self.assertRaisesRegex(AssertionError, "exit code 1: (.|\\n)*other-null"):
                    run(tests, self.directory)

    def commands_of_jobs(self, jobs):
        for name, text in jobs.items():
            job = yaml.safe_load(text)
            if name == ".pre-commit-config.yaml":
                (repo,) = job["repos"]
                yield name, [hook["entry"] for hook in repo["hooks"]]
            elif name == ".gitlab-ci.yml":
                yield name, job["rules"]["script"]
            else:
                (job,) = job["jobs"].values()
                # The entrypoint of the image is the program.
                self.assertRegex(job["env"]["PATCHBAY"], r"^docker run .* \S+/patchbay:[0-9.]+$")
                commands = [step["run"] for step in job["steps"] if "run" in step]
                yield name, ["PATCHBAY=patchbay; " + command for command in commands]

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl tells which options it has")
    def test_commands_of_kubectl_have_options_that_it_knows(self):
        known = {}
        for name in LEADING:
            for step in Walkthrough(name).of("cluster"):
                for line in kubectl_lines(step.commands):
                    words = line.split(" -- ")[0].split()
                    if words[0] != "kubectl":
                        continue
                    command = next(w for w in words[1:] if re.fullmatch(r"[a-z]+", w) and
                                   words[words.index(w) - 1] != "--namespace")
                    if command not in known:
                        known[command] = self.options(command)
                    for option in re.findall(r"\s--([a-z-]+)", " ".join(words)):
                        with self.subTest(f"{name}: {line}"):
                            self.assertIn(option, known[command])

    @staticmethod
    def options(command):
        inner = {"rollout": ["status"], "create": ["configmap"]}.get(command, [])
        said = ""
        for words in ([command, *inner, "--help"], ["options"]):
            said += subprocess.run(["kubectl", *words], capture_output=True, text=True).stdout
        return set(re.findall(r"--([a-z-]+)[=,]", said))


if __name__ == "__main__":
    unittest.main()
