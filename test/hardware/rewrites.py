"""Rewrites of a configuration by other tools before it reaches the node. The meaning must stay the
same."""

import json
import subprocess

import yaml


def _sorted_by_yaml(text):
    """Rewrites as Helm does: gives values a type, sorts keys, and removes comments."""
    return yaml.safe_dump(yaml.safe_load(text), sort_keys=True)


class _Quoting(yaml.SafeDumper):
    """Quotes every scalar, except those that must not be text."""


def _represent(dumper, text):
    if text in ("true", "false"):
        return dumper.represent_scalar("tag:yaml.org,2002:bool", text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Quoting.add_representer(str, _represent)


def _quoted(text):
    return yaml.dump(yaml.load(text, yaml.BaseLoader), Dumper=_Quoting, sort_keys=True)


def _as_json(text):
    """Rewrites as JSON, which is YAML, too."""
    return json.dumps(yaml.safe_load(text))


def _envsubst(text):
    return subprocess.run(
        ["envsubst"], input=text, capture_output=True, text=True, check=True
    ).stdout


REWRITES = {
    "a YAML tool": _sorted_by_yaml,
    "quotes around everything": _quoted,
    "JSON": _as_json,
    "envsubst": _envsubst,
}
MOST_THOROUGH = "quotes around everything"
