"""The programs that the tests of deploy/ run: helm, kustomize, kubeconform, and the patchbay that was
built. Those that Debian has not are built from their Go modules, once."""

import contextlib
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "fake"))
sys.path.append(str(ROOT / "test" / "cluster"))
sys.path.append(str(ROOT / "test" / "docs"))
import go_programs
from chart_values import PLAIN
from documents import Document
from patience import PATIENCE

DEPLOY = ROOT / "deploy"
MANIFEST = DEPLOY / "patchbay.yaml"
EXAMPLE_CONFIG = DEPLOY / "example-config.yaml"
CHART = DEPLOY / "chart" / "patchbay"
BASE_VALUES = pathlib.Path(__file__).with_name("base_values.yaml")


@functools.cache
def program(name):
    return str(go_programs.build(go_programs.TOOLS[name]()))


def run(*command, text="", cwd=ROOT):
    """What the command says, on both streams; `text` is its standard input."""
    with tempfile.TemporaryDirectory() as home:
        # Helm's own settings and plugins, if there are any, are left alone.
        environment = {**os.environ, "HOME": home, "NODE_NAME": "bench-1"}
        environment = {k: v for k, v in environment.items() if not k.startswith("HELM_")}
        return subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=PATIENCE, cwd=cwd,
            env=environment, check=False,
        )


def output(*command, text=""):
    """What the command prints. It must succeed."""
    done = run(*command, text=text)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def patchbay(*arguments, text=""):
    binary = os.environ.get("PATCHBAY_BINARY") or "build/asan/src/patchbay"
    return run(os.path.abspath(binary), *arguments, text=text)


def kustomize(folder):
    """The objects of a kustomization."""
    return objects(output(program("kustomize"), "build", folder))


@contextlib.contextmanager
def values_file(values):
    """A file with values: a dictionary, or text as people write it."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        # JSON is unambiguous. PyYAML would write the text 1e3 unquoted, a number for Helm.
        file.write(values if isinstance(values, str) else json.dumps(values))
        file.flush()
        yield file.name


def helm_template(values, *options, name="patchbay", namespace="patchbay"):
    """What `helm template` says, as a finished process."""
    with values_file(values) as file:
        return run(program("helm"), "template", name, CHART, "--namespace", namespace,
                   "--values", BASE_VALUES, "--values", file, *options)


def rendered(values=json.dumps(PLAIN), *options, **names):
    """What the chart makes of the values, as text."""
    done = helm_template(values, *options, **names)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def objects(text):
    return [thing for thing in yaml.safe_load_all(text) if thing]


def one(things, kind, name=None):
    found = [
        thing for thing in things
        if thing["kind"] == kind and name in (None, thing["metadata"]["name"])
    ]
    assert len(found) == 1, f"{len(found)} objects of kind {kind}"
    return found[0]


def pod_of(daemon_set):
    return daemon_set["spec"]["template"]["spec"]


def container_of(daemon_set):
    return pod_of(daemon_set)["containers"][0]


def by_name(things):
    """Objects by kind and name, with lists whose order means nothing in one order."""
    return {(t["kind"], t["metadata"]["name"]): in_order(t) for t in things}


def in_order(value):
    if isinstance(value, dict):
        return {key: in_order(inner) for key, inner in value.items()}
    if isinstance(value, list):
        inner = [in_order(item) for item in value]
        if all(isinstance(item, dict) for item in inner):
            return sorted(inner, key=lambda item: json.dumps(item, sort_keys=True))
        return inner
    return value


def differences(before, after, at=""):
    """Paths of what is another in `after`, with the two values."""
    if isinstance(before, dict) and isinstance(after, dict):
        out = {}
        for key in {**before, **after}:
            out |= differences(before.get(key), after.get(key), f"{at}/{key}")
        return out
    return {} if before == after else {at: (before, after)}
