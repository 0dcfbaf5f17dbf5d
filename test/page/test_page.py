"""The status page in a browser: its content, its updates, and its accessibility."""

import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

from browser import Browser

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE

# scripts/setup --test installs tools in this folder.
TOOLS = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TOOLS = TOOLS / "patchbay-test-tools"
HOSTILE = "<img src=x onerror=hit=1>\"'&amp;\u202e\n"
EXEC = "kubectl --namespace lab exec patchbay-x7k2p -- patchbay "
SHOWN = "<img src=x onerror=hit=1>\"'&amp;\\u202e\\x0a"
MANY = 250
CONFIG = """apiVersion: patchbay/v1
kind: Config
defaults: {linger: 0s}
resources:
  - name: lab.example.com/line
    description: Lines of the <b>bench</b>
    match: {glob: $ROOT/line*}
    expect: 2
    id: $(name)
    envs: {LINE: $(id)}
    health: [{file: {$ROOT/state: ok}, period: 1s}]
  - name: lab.example.com/many
    match: {glob: $ROOT/many/*}
    id: $(name)
    envs: {MANY: $(id)}
  - name: lab.example.com/once
    match: {glob: $ROOT/once/*}
    id: once
    envs: {ONCE: $(id)}
  - name: lab.example.com/none
    match: {glob: $ROOT/none/*, name: {regex: "x.*"}}
    id: $(name)
    envs: {NONE: $(id)}
  - name: lab.example.com/folder
    match: {glob: $ROOT/many, type: dir}
    id: folder
  - name: lab.example.com/zram
    match: {subsystem: block, name: zram*}
    id: $(name)
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon:
    def __init__(self):
        self._directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._directory.name) / "srv"
        (self.root / "many").mkdir(parents=True)
        (self.root / "once").mkdir()
        (self.root / "none").mkdir()
        for name in [
            "line1", "line2", "none/y1", "once/1", f"once/{HOSTILE}", *(f"many/m{i}" for i in range(MANY))
        ]:
            (self.root / name).touch()
        self.say("ok")
        self._config = pathlib.Path(self._directory.name) / "config.yaml"
        self._config.write_text(CONFIG.replace("$ROOT", str(self.root)))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.start()

    def start(self):
        self._process = subprocess.Popen(
            [os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay", "run", "--standalone",
             "--config", str(self._config), "--listen", f"127.0.0.1:{self.port}", "--page",
             "--status-socket", "none"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "NODE_NAME": "bench-1", "POD_NAMESPACE": "lab", "POD_NAME": "patchbay-x7k2p"},
        )
        awaited = {"lab.example.com/line", "lab.example.com/many"}
        deadline = threading.Timer(PATIENCE, self._process.kill)
        deadline.start()
        try:
            for line in self._process.stdout:
                if line.startswith("+ "):
                    awaited.discard(line.split()[1])
                if not awaited:
                    return
        finally:
            deadline.cancel()
        raise AssertionError(
            f"the daemon has ended, or did not list within {PATIENCE} s: {awaited}")

    def stop(self):
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)

    def close(self):
        self.stop()
        self._directory.cleanup()

    def say(self, state):
        """Writes the file that the probe of all lines reads."""
        (self.root / "state").write_text(state)

    def wait_for_event(self, text):
        end = time.monotonic() + PATIENCE
        while True:
            with urllib.request.urlopen(self.url + "events") as answer:
                events = answer.read().decode()
            if text in events:
                return
            if time.monotonic() > end:
                raise AssertionError(f"never: {text}\n{events}")
            time.sleep(0.02)

    def plug(self, name):
        (self.root / name).touch()

    def unplug(self, name):
        (self.root / name).unlink()


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.close)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def tearDown(self):
        # Removes what a failed test left, so that the next ones do not fail.
        for path in self.daemon.root.glob("line[3-9]"):
            path.unlink()

    def show(self, view="", **how):
        self.browser.show("about:blank")  # A change of the fragment alone reloads nothing.
        self.browser.show(self.daemon.url + view, **how)
        self.browser.wait_for(
            f"location.href.startsWith('{self.daemon.url}') && document.readyState === 'complete'"
        )
        if how.get("script", True):
            self.browser.wait_for("document.getElementById('live').textContent === 'live'")

    def cells(self, resource):
        return self.browser.value(
            f"[...document.querySelectorAll('#resources > tr')].find((row) => row.cells[0]"
            f".textContent.startsWith('{resource}'))?.innerText.split(/\\s*\\t\\s*/)"
        )

    def wait_for_cells(self, resource, *numbers):
        self.browser.wait_for(
            f"[...[...document.querySelectorAll('#resources > tr')].find((row) => row.cells[0]"
            f".textContent.startsWith('{resource}')).cells].slice(1, 4)"
            f".map((cell) => cell.textContent).join() === '{','.join(map(str, numbers))}'"
        )

    def press(self, text):
        self.browser.wait_for(
            f"(() => {{ const found = [...document.querySelectorAll('button')]"
            f".find((b) => b.textContent === '{text}' && b.offsetParent); found?.focus();"
            f"found?.click(); return Boolean(found); }})()"
        )

    def fill(self, label, text):
        self.browser.wait_for(f"document.querySelector('[aria-label=\"{label}\"]') !== null")
        self.browser.value(
            f"(() => {{ const field = document.querySelector('[aria-label=\"{label}\"]');"
            f"field.value = '{text}'; field.dispatchEvent(new Event('input')); }})()"
        )

    def text(self, selector):
        return self.browser.value(f"document.querySelector('{selector}').innerText")

    def assert_no_problem(self):
        self.assertEqual(self.browser.take_problems(), [])
        self.assertEqual(
            [url for url in self.browser.requests if not url.startswith((self.daemon.url, "data:"))],
            [],
        )

    def test_summary_of_the_node(self):
        self.show()
        self.wait_for_cells("lab.example.com/line", 2, 2, 0)
        self.browser.wait_for("document.querySelector('#facts').innerText.includes('6 resources registered')")
        self.assertEqual(self.browser.value("document.title"), "bench-1 – Patchbay")
        self.assertIn("kubelet connected", self.text("#facts"))
        self.assert_no_problem()

    def test_events_name_their_time_zone(self):
        self.browser.call("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
        self.addCleanup(self.browser.call, "Emulation.setTimezoneOverride", timezoneId="")
        self.show()
        self.assertRegex(self.text("#zone"), r"^Asia/(Kolkata|Calcutta) \(UTC\+5:30\)$")
        self.assert_no_problem()

    def chips(self):
        return self.browser.value(
            "[...document.querySelectorAll('#chips > *')].map((chip) => chip.textContent)")

    def names(self):
        return self.browser.value(
            "[...document.querySelectorAll('#resources .name')].map((name) => name.textContent)")

    def test_problems_come_first_and_filter(self):
        self.daemon.say("dead")
        self.addCleanup(self.daemon.say, "ok")
        self.show()
        self.wait_for_cells("lab.example.com/line", 2, 0, 2)
        self.browser.wait_for(
            "document.querySelector('#problems').innerText.includes('state is \"dead\"')")
        self.assertEqual(self.chips(), ["2 unhealthy units", "2 expected units missing", "2 refused devices",
                                        "1 misconfigured unit", "1 resource without units"])
        self.assertEqual(self.names()[-2:], ["lab.example.com/many", "lab.example.com/zram"])
        self.press("2 refused devices")
        self.assertEqual(self.names(), ["lab.example.com/once"])
        self.assertEqual(self.text("#resource-count"), "1 of 6")
        self.assertEqual(self.browser.value("location.hash"), "#show=refused")
        self.press("2 refused devices")
        self.assertEqual(len(self.names()), 6)
        self.assertEqual(self.browser.value("location.hash"), "")
        self.assert_no_problem()

    def test_missing_unit_stays_a_problem_until_it_returns(self):
        self.show()
        self.addCleanup(self.daemon.plug, "line2")
        self.daemon.unplug("line2")
        self.wait_for_cells("lab.example.com/line", 1, 1, 0)
        self.browser.wait_for("document.querySelector('#problems').innerText.includes('line2: lost at ')")
        self.assertIn("1 expected unit missing", self.chips())
        self.assertIn("healthy: 1 of 2", self.text("#problems"))
        self.browser.wait_for("document.querySelector('#refused').innerText.includes('lost at ')")
        self.daemon.plug("line2")
        self.wait_for_cells("lab.example.com/line", 2, 2, 0)
        self.assertNotIn("1 expected unit missing", self.chips())
        self.assertNotIn("lost at", self.text("#problems"))
        self.assert_no_problem()

    def test_nearest_miss_of_an_empty_resource(self):
        self.show("#show=empty")
        self.browser.wait_for("document.querySelector('#problems').innerText.includes('the nearest is')")
        text = self.text("#problems")
        self.assertRegex(text, r"config\.yaml:\d+: 1 device compared; the nearest is /.*/none/y1, but:\n")
        self.assertIn('name: {regex: "x.*"}: name is "y1"', text)
        self.assertRegex(self.text("#problems code"), r"^" + EXEC + r"discover /.*/config\.yaml$")
        self.assert_no_problem()

    def test_command_can_be_copied(self):
        self.show("#show=refused")
        self.browser.wait_for("document.querySelector('#problems code') !== null")
        self.assertRegex(
            self.text("#problems code"), r"^" + EXEC + r"explain (/|'/).*once/.* /.*config\.yaml$")
        self.press("Copy")
        self.browser.wait_for("['Copied', 'Selected'].includes("
                              "document.querySelector('.command button').textContent)")
        self.assert_no_problem()

    def test_resource_claims_and_drivers_that_need_attention(self):
        def claim(name, phase, reason=""):
            return {"namespace": "lab" if name else "", "name": name, "uid": "u-1", "phase": phase,
                    "reason": reason, "devices": [], "warnings": []}

        drivers = [
            {"name": "new.io", "state": "active",
             "claims": [claim("a", "prepared"), claim("b", "releaseFailed", "exec: /wipe: exit code 1")]},
            {"name": "old.io", "state": "draining",
             "claims": [claim("c", "releasing"), claim("", "unreadable", "u-1.json: damaged")]},
        ]
        # This daemon has no DRA, so its answers are changed.
        script = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source="""
            const real = window.fetch;
            window.fetch = async (path) => {
              const answer = await real(path);
              const json = await answer.json();
              if (json.draDrivers) json.draDrivers = %s;
              return {ok: answer.ok, json: () => json};
            };""" % json.dumps(drivers))
        self.addCleanup(self.browser.call, "Page.removeScriptToEvaluateOnNewDocument", **script)
        self.show("#show=claim")
        self.browser.wait_for("document.querySelectorAll('#problems > li').length === 2")
        self.assertIn("2 failed ResourceClaims", self.chips())
        self.assertRegex(self.text("#problems"), r"lab/b: exec: /wipe: exit code 1\n" + EXEC + "status")
        self.assertIn("u-1: u-1.json: damaged", self.text("#problems"))
        self.press("1 draining DRA driver")
        self.assertIn("old.io ends with its last ResourceClaim: lab/c, u-1", self.text("#problems"))
        self.assert_no_problem()

    def test_link_shows_the_same_view(self):
        self.show("#resource=lab.example.com%2Fmany&match%3Alab.example.com%2Fmany=many%2Fm1"
                  "&page%3Alab.example.com%2Fmany=2&events=plugged")
        self.browser.wait_for("document.querySelectorAll('.inner tbody tr').length === 11")
        self.assertEqual(self.text(".inner small"), f"101–111 of 111 matching of {MANY} units")
        self.assertEqual(self.browser.value("document.querySelector('.inner input').value"), "many/m1")
        self.assertEqual(self.browser.value("document.getElementById('event-filter').value"), "plugged")
        self.press("Previous page")
        self.browser.wait_for("document.querySelectorAll('.inner tbody tr').length === 100")
        self.assertNotIn("page", self.browser.value("location.hash"))
        self.assert_no_problem()

    def test_it_keeps_up_with_a_plug_and_keeps_the_focus(self):
        self.show()
        self.press("lab.example.com/line")
        self.browser.wait_for("document.querySelector('.inner tbody tr') !== null")
        self.daemon.plug("line3")
        self.wait_for_cells("lab.example.com/line", 3, 3, 0)
        self.browser.wait_for("document.querySelector('.inner tbody').innerText.includes('line3')")
        self.browser.wait_for("document.querySelector('#events li').innerText.includes('line3')")
        self.assertEqual(
            self.browser.value("document.activeElement.textContent"), "lab.example.com/line"
        )
        self.daemon.unplug("line3")
        self.wait_for_cells("lab.example.com/line", 2, 2, 0)
        self.assert_no_problem()

    def test_why_a_unit_is_unhealthy(self):
        self.show()
        self.press("lab.example.com/line")
        self.daemon.say("dead")
        self.addCleanup(self.daemon.say, "ok")
        self.wait_for_cells("lab.example.com/line", 2, 0, 2)
        self.browser.wait_for(
            "document.querySelector('.inner tbody').innerText.includes('/state is \"dead\"')"
        )
        self.daemon.say("ok")
        self.wait_for_cells("lab.example.com/line", 2, 2, 0)
        self.browser.wait_for("/recovered \\d+s ago; it was: \\S+ is \"dead\"/.test("
                              "document.querySelector('.inner tbody').innerText)")
        self.browser.wait_for("document.querySelector('.probes').innerText.includes('passed')")
        self.assert_no_problem()

    def test_a_real_device(self):
        if not os.access("/sys/class/zram-control/hot_add", os.R_OK):
            self.skipTest("no zram to plug here: it takes root, and a kernel with zram")
        self.show()
        before = int(self.cells("lab.example.com/zram")[1])
        number = pathlib.Path("/sys/class/zram-control/hot_add").read_text().strip()
        try:
            self.wait_for_cells("lab.example.com/zram", before + 1, before + 1, 0)
        finally:
            pathlib.Path("/sys/class/zram-control/hot_remove").write_text(number)
        self.wait_for_cells("lab.example.com/zram", before, before, 0)
        self.assert_no_problem()

    def test_units_have_pages(self):
        self.show()
        self.press("lab.example.com/many")
        self.browser.wait_for("document.querySelectorAll('.inner tbody tr').length === 100")
        self.assertEqual(self.text(".inner small"), f"1–100 of {MANY} units")
        self.press("Next page")
        self.browser.wait_for(f"document.querySelector('.inner small').innerText === '101–200 of {MANY} units'")
        self.press("Next page")
        self.browser.wait_for(f"document.querySelectorAll('.inner tbody tr').length === {MANY - 200}")
        self.assertTrue(self.browser.value(
            "[...document.querySelectorAll('.pager button')].find((b) => b.textContent === 'Next page').disabled"))
        self.fill("filter units of lab.example.com/many", "M24 healthy")
        self.browser.wait_for("document.querySelectorAll('.inner tbody tr').length === 11")
        self.assertEqual(self.text(".inner small"), f"11 matching of {MANY} units")
        self.assertEqual(self.text(".inner tbody tr button"), "m24")
        self.assert_no_problem()

    def test_what_happened_to_a_unit(self):
        self.show()
        self.daemon.plug("line4")
        self.wait_for_cells("lab.example.com/line", 3, 3, 0)
        self.press("lab.example.com/line")
        self.press("line4")
        self.browser.wait_for("document.querySelector('#events').innerText.includes('unitAdded')")
        self.browser.wait_for(
            "[...document.querySelectorAll('#events li')].every((li) => li.innerText.includes('line4'))"
        )
        self.daemon.unplug("line4")
        self.browser.wait_for("document.querySelector('#events').innerText.includes('unitRemoved')")
        self.assert_no_problem()

    def test_what_is_not_offered(self):
        self.show()
        self.browser.wait_for("!document.getElementById('refused-part').hidden")
        self.assertIn(SHOWN, self.text("#refused"))
        self.assertEqual(self.browser.value("document.images.length"), 0)
        self.assertIsNone(self.browser.value("window.hit"))
        self.press("lab.example.com/line")
        self.browser.wait_for("document.querySelector('.inner p').innerText.includes('<b>bench</b>')")
        self.assert_no_problem()

    def test_nothing_else_runs_on_it(self):
        self.show()
        self.browser.value("document.body.insertAdjacentHTML('beforeend', "
                           "'<img src=x onerror=\"window.hit = 1\"><b onclick=\"hit = 1\">x</b>')")
        self.browser.value("document.querySelector('body > b').click()")
        self.browser.wait_for("performance.now() > 0")
        self.assertIsNone(self.browser.value("window.hit"))
        blocked = self.browser.value(
            "fetch('http://127.0.0.1:9/').then(() => 'went', (error) => error.name)"
        )
        self.assertEqual(blocked, "TypeError")
        self.assertTrue(
            all("Content Security Policy" in problem for problem in self.browser.take_problems())
        )

    def test_without_script_it_names_the_json(self):
        self.show(script=False)
        self.assertEqual(self.browser.value("document.title"), "Patchbay")
        self.assertEqual(
            self.text("body").split("\n"),
            ["Patchbay", "", "This page needs JavaScript. The same data as JSON: status, events. "
             "In a terminal: patchbay status."])
        self.assertFalse(self.browser.value("document.querySelector('main').offsetParent"))
        self.assert_no_problem()

    def test_it_goes_on_with_the_next_daemon(self):
        self.show()
        self.daemon.plug("line7")
        self.wait_for_cells("lab.example.com/line", 3, 3, 0)
        self.daemon.unplug("line7")
        self.wait_for_cells("lab.example.com/line", 2, 2, 0)
        self.browser.wait_for("document.querySelector('#events').innerText.includes('line7')")
        self.daemon.stop()
        self.browser.wait_for(
            "document.getElementById('live').textContent === 'the daemon does not answer'"
        )
        # The page connects again when the next daemon has as many events as this one had.
        self.browser.set_offline(True)
        self.daemon.start()
        self.daemon.plug("line5")
        self.daemon.wait_for_event("line5")
        self.browser.set_offline(False)
        self.browser.wait_for("document.getElementById('live').textContent === 'live'")
        self.browser.wait_for("document.querySelector('#events').innerText.includes('line5')")
        # The next daemon has other events with the same numbers.
        self.assertNotIn("line7", self.text("#events"))
        self.daemon.unplug("line5")
        self.wait_for_cells("lab.example.com/line", 2, 2, 0)
        self.browser.take_problems()  # The error of the unanswered request.

    def test_nobody_is_left_out(self):
        for width in (400, 800, 1600):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    self.show(width=width, dark=dark)
                    self.press("lab.example.com/line")
                    self.browser.wait_for("document.querySelector('.inner tbody tr') !== null")
                    self.browser.inject(self.axe())
                    violations = self.browser.value(
                        "axe.run().then((found) => found.violations.map((violation) =>"
                        " violation.id + ': ' + violation.nodes.map((node) => node.html)))"
                    )
                    self.assertEqual(violations, [])
                    # Nothing is cut: no element is wider than the screen or scrolls.
                    self.assertEqual(self.browser.value(
                        "[document.documentElement, ...document.querySelectorAll('.wide')]"
                        ".filter((part) => part.scrollWidth > part.clientWidth)"
                        ".map((part) => part.tagName + part.scrollWidth)"), [])
                    self.assertGreater(self.browser.value(
                        "document.querySelector('main').getBoundingClientRect().width"), 0.93 * width)
                    if directory := os.environ.get("PATCHBAY_SCREENSHOTS"):
                        name = f"page-{width}-{'dark' if dark else 'light'}.png"
                        self.browser.screenshot(pathlib.Path(directory) / name)

    @staticmethod
    def axe():
        sys.path.append(str(TOOLS))
        found = importlib.util.find_spec("axe_playwright_python")
        if found is None:
            raise AssertionError("scripts/setup --test installs axe")
        return (pathlib.Path(found.origin).parent / "axe.min.js").read_text()


if __name__ == "__main__":
    unittest.main()
