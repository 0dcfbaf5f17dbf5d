"""Checks one example: what the binary says of it on described machines is what its transcript in
golden/ holds, and the same when other tools have written the configuration anew.

    check_example.py gophers        with PATCHBAY_UPDATE_GOLDEN=1 in the environment: writes it anew

Ends with 77, which skips the test, for other users than root.
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
    """(tool, output) of the command for each tool through which its configuration can go. But for
    `discover`, the one that leaves least as it was will do."""
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
    """Where something stands in the configuration is another place after other tools."""
    return re.sub(r'"(line|column)": \d+', r'"\1": 0', output)


def run_all(steps, complain):
    """Runs every command; leaves in the steps what they print."""
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
