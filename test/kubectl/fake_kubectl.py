"""Replaces kubectl: lists the Pods of a JSON file, and runs the built patchbay for `exec`. Knows
only the options that deploy/kubectl/kubectl-patchbay may use. Records each call.

FAKE_CLUSTER is a directory. cluster.json has the Pods; calls gets one JSON list for each call."""

import argparse
import json
import os
import pathlib
import re
import select
import subprocess
import sys

DIRECTORY = pathlib.Path(os.environ["FAKE_CLUSTER"])


def parsed(words):
    parser = argparse.ArgumentParser(prog="kubectl", allow_abbrev=False)
    for options in (("--context",), ("--kubeconfig",), ("-n", "--namespace")):
        parser.add_argument(*options)
    verbs = parser.add_subparsers(dest="verb", required=True)
    get = verbs.add_parser("get", allow_abbrev=False)
    get.add_argument("kind", choices=["pods"])
    for option in ("--selector", "--field-selector", "--sort-by", "--output"):
        get.add_argument(option)
    for option in ("--no-headers", "--ignore-not-found"):
        get.add_argument(option, action="store_true", required=True)
    run = verbs.add_parser("exec", allow_abbrev=False)
    run.add_argument("-i", "--stdin", action="store_true")
    run.add_argument("-t", "--tty", action="store_true")
    run.add_argument("-c", "--container")
    run.add_argument("pod")
    options = parser.parse_args(words[: words.index("--")] if "--" in words else words)
    options.command = words[words.index("--") + 1 :] if "--" in words else []
    return options


def value(pod, path):
    """The text of a column, such as .status.conditions[?(@.type=="Ready")].status."""
    for name, kind in re.findall(r'\.(\w+)(?:\[\?\(@\.type=="(\w+)"\)\])?', path):
        pod = pod.get(name, {})
        if kind:
            pod = next((item for item in pod if item["type"] == kind), {})
    return pod or "<none>"


def get(options, pods):
    if options.context == "gone":
        sys.exit('error: context "gone" does not exist')
    for pod in sorted(pods, key=lambda pod: value(pod, options.sort_by)):
        labels = ",".join(f"{k}={v}" for k, v in pod["metadata"]["labels"].items())
        field, _, wanted = (options.field_selector or "").partition("=")
        if pod["metadata"]["namespace"] != options.namespace or labels != options.selector:
            continue
        if field and value(pod, "." + field) != wanted:
            continue
        columns = options.output.removeprefix("custom-columns=").split(",")
        print("   ".join(value(pod, column.partition(":")[2]) for column in columns))


def execute(options, pods):
    pod = next(pod for pod in pods if pod["metadata"]["name"] == options.pod)
    if "error" in pod:
        sys.exit(pod["error"])
    if "prints" in pod:
        print(pod["prints"])
        return
    program, command, *words = options.command
    assert (program, options.container) == ("patchbay", "patchbay")
    if options.stdin and not options.tty and "-" not in words:
        assert not select.select([0], [], [], 0)[0], "standard input is closed"
    if command == "suggest" or {"-w", "--watch"} & set(words):
        (DIRECTORY / "pid").write_text(str(os.getpid()))
        print("ran", command)  # The test compares the calls.
        return
    if command in ("status", "events"):
        words += ["--status-socket", pod["socket"]]
    words = [pod["config"] if word == "/etc/patchbay" else word for word in words]
    if command in ("discover", "explain"):
        words += ["--host-root", pod["host"]]
    done = subprocess.run(
        [os.environ["PATCHBAY_BINARY"], command, *words], check=False,
        stdin=None if options.stdin else subprocess.DEVNULL,
        env={**os.environ, "NODE_NAME": pod["spec"]["nodeName"]},
    )
    if done.returncode:
        print(f"command terminated with exit code {done.returncode}", file=sys.stderr)
        sys.exit(done.returncode)


def main():
    words = sys.argv[1:]
    if words[:1] == ["patchbay"]:
        os.execvp("kubectl-patchbay", ["kubectl-patchbay", *words[1:]])
    with open(DIRECTORY / "calls", "a", encoding="utf-8") as calls:
        calls.write(json.dumps(words) + "\n")
    options = parsed(words)
    pods = json.loads((DIRECTORY / "cluster.json").read_text())
    (get if options.verb == "get" else execute)(options, pods)


main()
