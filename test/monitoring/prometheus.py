"""Runs a Prometheus for the tests."""

import json
import math
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

from fleet import PATIENCE, address


class Prometheus:
    def __init__(self, config, rules):
        program = shutil.which("prometheus")
        if program is None:
            raise AssertionError("there is no prometheus: scripts/setup --test installs it")
        self._directory = tempfile.TemporaryDirectory(prefix="pb-prometheus-")
        path = self._directory.name
        config["rule_files"] = [f"{path}/rules.yaml"]
        with open(f"{path}/prometheus.yaml", "w") as file:
            yaml.safe_dump(config, file)
        with open(f"{path}/rules.yaml", "w") as file:
            yaml.safe_dump(rules, file)
        self._log = open(f"{path}/log", "w+")
        self._address = f"{address()}:9090"
        self._process = subprocess.Popen(
            [program, f"--config.file={path}/prometheus.yaml", f"--storage.tsdb.path={path}/data",
             f"--web.listen-address={self._address}", "--log.level=warn"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
        )

    def close(self):
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
        self._log.close()
        self._directory.cleanup()

    def wait_until(self, holds, what):
        """Polls until `holds`; `what` describes the missing condition after a timeout."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"after {PATIENCE} s: {what()}")
            try:
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            self._log.seek(0)
            raise AssertionError(f"prometheus has ended: {self._log.read()}")

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://{self._address}/-/ready", timeout=PATIENCE) as got:
                return got.status == 200
        except (urllib.error.URLError, ConnectionError):
            return False

    def _get(self, path, **parameters):
        text = urllib.parse.urlencode(parameters, doseq=True)
        url = f"http://{self._address}/api/v1/{path}?{text}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def query(self, expression):
        """The result as [(labels, value)], without values that are not a number."""
        result = self._get("query", query=expression)["result"]
        found = [(sample["metric"], float(sample["value"][1])) for sample in result]
        return [(labels, value) for labels, value in found if not math.isnan(value)]

    def label_values(self, label, selector=None):
        parameters = {"match[]": selector} if selector else {}
        return self._get(f"label/{label}/values", **parameters)

    def targets(self):
        return self._get("targets", state="active")["activeTargets"]

    def rules(self):
        return [rule for group in self._get("rules")["groups"] for rule in group["rules"]]

    def alerts(self):
        return self._get("alerts")["alerts"]
