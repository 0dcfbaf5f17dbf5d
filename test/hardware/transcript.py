"""A transcript: commands, and their output on a machine.

    machine: serial-bench
    $ patchbay validate ftdi-serial.yaml
    ftdi-serial.yaml: ok
    $ NODE_NAME=bench-7 patchbay discover -o json --config ftdi-serial.yaml
    …

A line `machine:` names a file in machines/. The following commands run there, in examples/configs.
A command that fails has a line `[exit code N]` after its output. TIME replaces the time of a log
line, and the time since which a unit has its state. Lines that begin with "#" are comments.
"""

import re
import shlex
from dataclasses import dataclass

DEFAULT_NODE = "bench-1"


@dataclass
class Step:
    """A line of a transcript. If the line is a command, also its expected output."""

    line: str
    expected: str = ""

    @property
    def machine(self):
        """The machine that the line names; None for other lines."""
        return self.line.removeprefix("machine: ") if self.line.startswith("machine: ") else None

    def command(self):
        """(environment, arguments) of a command, without `patchbay`; None for other lines."""
        if not self.line.startswith("$ "):
            return None
        words = shlex.split(self.line[2:])
        environment = {"NODE_NAME": DEFAULT_NODE}
        while assigned := re.fullmatch(r"([A-Z_]+)=(.*)", words[0]):
            environment[assigned[1]] = assigned[2]
            del words[0]
        if words[0] != "patchbay":
            raise ValueError(f"not patchbay: {self.line}")
        return environment, words[1:]


def read_transcript(text):
    steps = []
    for line in text.splitlines():
        if line.startswith(("#", "$ ", "machine: ")):
            steps.append(Step(line))
        elif not steps or steps[-1].command() is None:
            raise ValueError(f"not after a command: {line}")
        else:
            steps[-1].expected += line + "\n"
    return steps


def write_transcript(steps):
    return "".join(f"{step.line}\n{step.expected}" for step in steps)


def output_of(result):
    """The output of a finished command, in the form of a transcript."""
    text = re.sub(r"(?m)^\d{4}-\d\d-\d\dT\S+ ", "TIME ", result.stdout)
    text = re.sub(r'"since": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"', '"since": "TIME"', text)
    if text and not text.endswith("\n"):
        text += "\n"
    if result.returncode != 0:
        text += f"[exit code {result.returncode}]\n"
    return text
