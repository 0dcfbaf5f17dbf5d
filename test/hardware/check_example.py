"""Checks one example: the binary's output on described machines must equal the transcript in
golden/, also after other tools have rewritten the configuration.

    check_example.py gophers        with PATCHBAY_UPDATE_GOLDEN=1 in the environment: rewrites it

Exits with 77, which skips the test, for users other than root.
"""

import difflib
import os
import pathlib
import re
import sys
import tempfile

import checks
from host import Host
from rewrites import MOST_THOROUGH, REWRITES
from transcript import Step, output_of, read_transcript, write_transcript

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples" / "configs"


def run(host, step, directory=EXAMPLES):
    environment, arguments = step.command()
    return output_of(host.run([checks.BINARY, *arguments], directory, environment, step.input()))


def rewritten(host, step):
    """(tool, output) of the command for each tool that can rewrite its configuration. Commands
    other than `discover` use only the tool with the most changes."""
    _, arguments = step.command()
    tools = {"discover": list(REWRITES), "allocate": [MOST_THOROUGH], "run": [MOST_THOROUGH]}
    for tool in tools.get(arguments[0], []):
        with tempfile.TemporaryDirectory() as directory:
            for name in [a for a in arguments if a.endswith(".yaml")]:
                text = REWRITES[tool]((EXAMPLES / name).read_text())
                pathlib.Path(directory, name).write_text(text)
            after = Step(step.line, typed=[Step(typed.line) for typed in step.typed])
            after.expect(run(host, step, directory))
            yield tool, after.all_expected()


def without_positions(output):
    """Positions in the configuration change when other tools rewrite it."""
    return re.sub(r'"(line|column)": \d+', r'"\1": 0', output)


def run_all(steps, complain):
    """Runs every command and stores its output in the steps."""
    host = None
    try:
        for step in steps:
            if step.machine:
                if host:
                    host.close()
                host = Host(checks.described(step.machine))
            if step.command():
                check_command(host, step, complain)
    finally:
        if host:
            host.close()


def check_command(host, step, complain):
    step.expect(run(host, step))
    for tool, output in rewritten(host, step):
        if without_positions(output) != without_positions(step.all_expected()):
            complain(f"{step.line}\nafter {tool} it prints something else:\n{output}")


def check(name):
    path = HERE / "golden" / f"{name}.txt"
    before = path.read_text()
    steps = read_transcript(before)
    complaints = []
    run_all(steps, complaints.append)
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
