"""The programs for the tests of deploy/: helm, kustomize, kubeconform, and the built patchbay.
Programs that Debian lacks are built once from their Go modules."""

import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "fake"))
sys.path.append(str(ROOT / "test" / "cluster"))
sys.path.append(str(ROOT / "test" / "docs"))
import go_programs
from chart_values import CONFIG, PLAIN
from documents import Document
from patience import PATIENCE

DEPLOY = ROOT / "deploy"
MANIFEST = DEPLOY / "patchbay.yaml"
EXAMPLE_CONFIG = DEPLOY / "example-config.yaml"
CHART = DEPLOY / "chart" / "patchbay"
KUSTOMIZE = DEPLOY / "kustomize"
BASE_VALUES = pathlib.Path(__file__).with_name("base_values.yaml")


@functools.cache
def program(name):
    return str(go_programs.build(go_programs.TOOLS[name]()))


def run(*command, text="", cwd=ROOT):
    """The command's output on both streams; `text` is its standard input."""
    with tempfile.TemporaryDirectory() as home:
        # Ignores Helm's own settings and plugins.
        environment = {**os.environ, "HOME": home, "NODE_NAME": "bench-1"}
        environment = {k: v for k, v in environment.items() if not k.startswith("HELM_")}
        return subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=PATIENCE, cwd=cwd,
            env=environment, check=False,
        )


def output(*command, text=""):
    """The output of the command, which must succeed."""
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


def with_components(*names):
    """The base with these components, as in a user's own kustomization."""
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
        up = os.path.relpath(KUSTOMIZE, os.path.realpath(directory))
        with open(os.path.join(directory, "kustomization.yaml"), "w", encoding="utf-8") as file:
            yaml.safe_dump({"apiVersion": "kustomize.config.k8s.io/v1beta1",
                            "kind": "Kustomization",
                            "resources": [f"{up}/base"],
                            "components": [f"{up}/components/{name}" for name in names]}, file)
        return kustomize(directory)


def documents_kustomization(*markers):
    """The objects of the kustomization in the block of docs/deploying.md with the first marker, and
    with the lists of the other blocks added to it."""
    blocks = {b.marker: b.text for b in Document(ROOT / "docs" / "deploying.md").blocks}
    first, *added = [yaml.safe_load(blocks[marker]) for marker in markers]
    for more in added:
        for key, items in more.items():
            first[key] += items
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
        folder = pathlib.Path(directory) / "kustomize"
        shutil.copytree(KUSTOMIZE, folder)
        lab = folder / "overlays" / "lab"
        lab.mkdir()
        (lab / "kustomization.yaml").write_text(yaml.safe_dump(first))
        (lab / "lab.yaml").write_text(CONFIG)
        return kustomize(lab)


@contextlib.contextmanager
def values_file(values):
    """A file with values: a dictionary, or hand-written text."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        # Writes JSON, because PyYAML would write the text 1e3 without quotes, a number for Helm.
        file.write(values if isinstance(values, str) else json.dumps(values))
        file.flush()
        yield file.name


def helm_template(values, *options, name="patchbay", namespace="patchbay"):
    """`helm template` as a finished process."""
    with values_file(values) as file:
        return run(program("helm"), "template", name, CHART, "--namespace", namespace,
                   "--values", BASE_VALUES, "--values", file, *options)


def rendered(values=json.dumps(PLAIN), *options, **names):
    """The chart's output for the values, as text."""
    done = helm_template(values, *options, **names)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


class UniqueKeys(yaml.SafeLoader):
    """Rejects a key that occurs twice in a mapping, as Helm does. PyYAML takes the last one."""

    def construct_mapping(self, node, deep=False):
        mapping = super().construct_mapping(node, deep)
        if len(mapping) != len(node.value):
            raise AssertionError(f"a key occurs twice:\n{node.start_mark}")
        return mapping


def objects(text):
    return [thing for thing in yaml.load_all(text, UniqueKeys) if thing]


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
    """Objects by kind and name. Sorts lists whose order has no meaning."""
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
    """The paths at which `after` differs from `before`, with both values."""
    if isinstance(before, dict) and isinstance(after, dict):
        out = {}
        for key in {**before, **after}:
            out |= differences(before.get(key), after.get(key), f"{at}/{key}")
        return out
    return {} if before == after else {at: (before, after)}
