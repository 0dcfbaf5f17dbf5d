"""Checks one example: the binary's output on described machines must equal the transcript in
golden/. The output must also be equal after other tools have rewritten the configuration, and with
the machine's description or a snapshot instead of the machine.

    check_example.py gophers        PATCHBAY_UPDATE_GOLDEN=1 writes the transcript instead

Exits with 77, which skips the test, for users other than root.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import checks
from host import PATIENCE, Host
from rewrites import MOST_THOROUGH, REWRITES
from transcript import output_of, read_transcript, write_transcript

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples" / "configs"

# Commands that take --machine.
RECORDED = ("discover", "explain", "allocate")
# Examples with probes that fail on their machine. With --machine no probe uses a device, so there
# they pass.
FAILING_PROBES = ("networked-scope", "solarflare-onload", "usbtmc")


def run(host, step, directory=EXAMPLES):
    environment, arguments = step.command()
    return output_of(host.run([checks.BINARY, *arguments], directory, environment))


def rewritten(host, step):
    """(tool, output) of the command, for each tool that rewrites its configuration. Commands other
    than `discover` use only the tool that changes most."""
    _, arguments = step.command()
    tools = {"discover": list(REWRITES), "allocate": [MOST_THOROUGH]}
    for tool in tools.get(arguments[0], []):
        with tempfile.TemporaryDirectory() as directory:
            for name in [a for a in arguments if a.endswith(".yaml")]:
                text = REWRITES[tool]((EXAMPLES / name).read_text())
                pathlib.Path(directory, name).write_text(text)
            yield tool, run(host, step, directory)


def takes_machine(step):
    _, arguments = step.command()
    return arguments[0] in RECORDED and "--start" not in arguments


def recorded(description, step):
    """The output for a file that describes the machine."""
    environment, arguments = step.command()
    return output_of(subprocess.run(
        [checks.BINARY, *arguments, "--machine", description],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
        cwd=EXAMPLES, env={**os.environ, **environment},
    ))


def outputs_of_recordings(host, machine, step):
    """(name, output) with the machine's description, and with a snapshot of the host."""
    yield "the description", recorded(checks.description(machine), step)
    environment, arguments = step.command()
    configurations = [a for a in arguments if a.endswith(".yaml")]
    take = [checks.BINARY, "snapshot", "--keep-serials", "--config", *configurations]
    took = host.run(take, EXAMPLES, environment).stdout
    if host.run(take, EXAMPLES, environment).stdout != took:
        yield "a second snapshot", "another snapshot"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as snapshot:
        snapshot.write(took)
        snapshot.flush()
        yield "a snapshot", recorded(snapshot.name, step)


def without_positions(output):
    """The output without positions, which change when other tools rewrite the configuration."""
    return re.sub(r'"(line|column)": \d+', r'"\1": 0', output)


def run_all(steps, has_failing_probes, complain):
    """Runs every command and stores its output in the steps."""
    host = machine = None
    try:
        for step in steps:
            if step.machine:
                if host:
                    host.close()
                machine = step.machine
                host = Host(checks.described(machine))
            if step.command():
                check_command(host, step, complain)
                if takes_machine(step) and not has_failing_probes:
                    for what, output in outputs_of_recordings(host, machine, step):
                        if output != step.expected:
                            complain(f"{step.line}\nfor {what} it prints:\n{output}")
    finally:
        if host:
            host.close()


def check_command(host, step, complain):
    step.expected = run(host, step)
    for tool, output in rewritten(host, step):
        if without_positions(output) != without_positions(step.expected):
            complain(f"{step.line}\nafter {tool} it prints something else:\n{output}")


def check(name):
    path = HERE / "golden" / f"{name}.txt"
    before = path.read_text()
    steps = read_transcript(before)
    complaints = []
    run_all(steps, name in FAILING_PROBES, complaints.append)
    after = write_transcript(steps)
    if after != before and os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
        path.write_text(after)
    elif after != before:
        lines = difflib.unified_diff(
            before.splitlines(True), after.splitlines(True), f"{path.name}", "what is printed"
        )
        complaints.append("".join(lines) + "PATCHBAY_UPDATE_GOLDEN=1 writes the file anew\n")
    return complaints


if __name__ == "__main__":
    sys.exit(checks.run(check, sys.argv[1]))
