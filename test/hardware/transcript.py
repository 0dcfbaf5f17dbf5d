"""A transcript: commands, and their output on a machine.

    machine: serial-bench
    $ patchbay validate ftdi-serial.yaml
    ftdi-serial.yaml: ok
    $ NODE_NAME=bench-7 patchbay discover -o json --config ftdi-serial.yaml
    …
    $ patchbay run --standalone --log-level error --config ftdi-serial.yaml
    lab.example.com/ftdi-uart: 3 units
    …
    > prefer ftdi-uart 1
    A50285BI

A line `machine:` names a file in machines/. The following commands run there, in examples/configs.
A command that fails has a line `[exit code N]` after its output. TIME replaces the time of a log
line, and the time since which a unit has its state. Lines that begin with "#" are comments.

A line `>` is input of `run --standalone`, which gets `quit` after the last. The output before the
first answer has the kubelet's lists. They come in any order, and are sorted by resource.
"""

import re
import shlex
from dataclasses import dataclass, field

DEFAULT_NODE = "bench-1"
# An unknown command: the program answers in one line, which marks the end of an answer.
MARK = "end-of-answer"


@dataclass
class Step:
    """One line, and the expected output of a command."""

    line: str
    expected: str = ""
    typed: list = field(default_factory=list)  # Also steps: the lines `>` that follow.

    @property
    def machine(self):
        """The machine in the line, or none."""
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

    def takes_lines(self):
        return bool(self.command()) and self.command()[1][:2] == ["run", "--standalone"]

    def input(self):
        """The input of the command."""
        if not self.takes_lines():
            return ""
        return "".join(f"{MARK}\n{step.line[2:]}\n" for step in self.typed) + "quit\n"

    def all_expected(self):
        return self.expected + "".join(step.expected for step in self.typed)

    def expect(self, output):
        """Distributes the command's output to the step and to its input lines."""
        if not self.takes_lines():
            self.expected = output
            return
        lists, *answers = re.split(rf"(?m)^unknown command '{MARK}'.*\n", output)
        self.expected = sorted_lists(lists)
        for index, step in enumerate(self.typed):
            step.expected = answers[index] if index < len(answers) else ""


def sorted_lists(text):
    """Each list begins with such a line: lab.example.com/gpu: 4 units"""
    before, *lists = re.split(r"(?m)^(?=\S+: \d+ units?(?:, \d+ shares?)?$)", text)
    return before + "".join(sorted(lists))


def read_transcript(text):
    steps = []
    for line in text.splitlines():
        if line.startswith(("#", "$ ", "machine: ")):
            steps.append(Step(line))
        elif not steps or steps[-1].command() is None:
            raise ValueError(f"not after a command: {line}")
        elif not line.startswith("> "):
            (steps[-1].typed or steps)[-1].expected += line + "\n"
        elif steps[-1].takes_lines():
            steps[-1].typed.append(Step(line))
        else:
            raise ValueError(f"not after run --standalone: {line}")
    return steps


def write_transcript(steps):
    return "".join(f"{step.line}\n{step.expected}{write_transcript(step.typed)}" for step in steps)


def output_of(result):
    """The lines of a finished command in a transcript."""
    text = re.sub(r"(?m)^\d{4}-\d\d-\d\dT\S+ ", "TIME ", result.stdout)
    text = re.sub(r'"since": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"', '"since": "TIME"', text)
    if text and not text.endswith("\n"):
        text += "\n"
    if result.returncode != 0:
        text += f"[exit code {result.returncode}]\n"
    return text
