"""The files for GitHub: workflows and forms."""

import json
import re
import shutil
import unittest

import yaml

from tools import ROOT, output, program

GITHUB = ROOT / ".github"


class Workflows(unittest.TestCase):
    def test_actionlint_finds_nothing(self):
        files = sorted((GITHUB / "workflows").glob("*.yaml"))
        self.assertEqual([file.name for file in files], ["ci.yaml", "fuzz.yaml"])
        output(program("actionlint"), "-shellcheck", shutil.which("shellcheck"), "-pyflakes", "",
               *map(str, files))

    def test_each_script_exists_and_has_its_options(self):
        workflow = yaml.safe_load((GITHUB / "workflows/ci.yaml").read_text())
        commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"]
                    if "run" in step and step["run"].startswith(("scripts/", ".ci/"))]
        self.assertEqual(commands, ["scripts/setup --test", ".ci/run", "scripts/setup --e2e",
                                    "scripts/e2e --kubernetes 1.37"])
        for command in commands:
            script, *options = command.split()
            text = (ROOT / script).read_text()
            if script == "scripts/e2e":
                text = (ROOT / "test/cluster/end_to_end.py").read_text()
            for option in options:
                self.assertIn(option, text)


class Forms(unittest.TestCase):
    def form(self, name):
        form = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / name).read_text())
        self.assertTrue(form["name"] and form["description"])
        ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
        self.assertEqual(len(ids), len(set(ids)))
        return json.dumps(form)

    def test_a_bug_asks_for_what_the_documents_ask_for(self):
        symptoms = (ROOT / "docs/symptoms.md").read_text().split("## Report a bug")[1]
        wanted = re.findall(r"`(patchbay [^`]+)`", symptoms)
        self.assertEqual(len(wanted), 5)
        form = self.form("bug.yaml")
        self.assertEqual(re.findall(r"`(patchbay [^`]+)`", form), wanted)

    def test_a_wish_has_its_fields(self):
        self.form("wish.yaml")

    def test_a_change_has_the_checklist(self):
        text = (GITHUB / "pull_request_template.md").read_text()
        contributing = (ROOT / "CONTRIBUTING.md").read_text()
        for word in (".ci/run", "Checklists", "scripts/size"):
            self.assertIn(word, text)
            self.assertIn(word, contributing)


if __name__ == "__main__":
    unittest.main()
