"""JSON Schemas of Kubernetes' objects for kubeconform, made from the OpenAPI description in the Go
module of Kubernetes. Cached below build/, in a folder for each version."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

from tools import ROOT, go_programs

VERSION = "v1.34.4"
KINDS = {"ClusterRole", "ClusterRoleBinding", "ConfigMap", "DaemonSet", "Job", "Namespace",
         "NetworkPolicy", "Pod", "ServiceAccount", "ValidatingAdmissionPolicy",
         "ValidatingAdmissionPolicyBinding"}
FOLDER = ROOT / "build" / "go" / f"schemas-{VERSION}-{'-'.join(sorted(KINDS)).lower()}"
# The pattern of kubeconform, in which {{.ResourceKind}} is lower-case.
LOCATION = str(FOLDER / "{{.ResourceKind}}{{.KindSuffix}}.json")


def _description():
    """The definitions of all types, by name."""
    directory = go_programs.BUILD / "toolchain"
    directory.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [go_programs.go(), "mod", "download", "-json", f"k8s.io/kubernetes@{VERSION}"],
        cwd=directory, capture_output=True, text=True, check=True,
    )
    module = pathlib.Path(json.loads(done.stdout)["Dir"])
    text = (module / "api" / "openapi-spec" / "swagger.json").read_text()
    return json.loads(text)["definitions"]


def _strict(value):
    """The schema with only the defined properties of each type allowed. Also corrects types that
    are a number or a text."""
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("format") == "int-or-string":
        return {"type": ["integer", "string"]}
    out = {key: _strict(inner) for key, inner in value.items()}
    if isinstance(out.get("properties"), dict) and "additionalProperties" not in out:
        out["additionalProperties"] = False
    return out


def _needed(schema, definitions, found):
    """The definitions that a schema refers to."""
    for name in re.findall(r'"#/definitions/([^"]+)"', json.dumps(schema)):
        if name not in found:
            found[name] = definitions[name]
            _needed(definitions[name], definitions, found)
    return found


def schemas():
    """The location of the schemas for kubeconform. Makes missing ones."""
    if FOLDER.exists():
        return LOCATION
    definitions = {name: _strict(d) for name, d in _description().items()}
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as made:
        made = pathlib.Path(made) / "schemas"
        made.mkdir()
        for schema in definitions.values():
            for kind in schema.get("x-kubernetes-group-version-kind", []):
                if kind["kind"] not in KINDS:
                    continue
                whole = {**schema, "definitions": _needed(schema, definitions, {})}
                parts = [kind["kind"], *filter(None, [kind["group"].split(".")[0]]), kind["version"]]
                (made / f"{'-'.join(parts).lower()}.json").write_text(json.dumps(whole))
        try:
            os.rename(made, FOLDER)
        except OSError:
            if not FOLDER.exists():  # Another process was first.
                raise
    return LOCATION
