"""The commands of a document, in its order, and where to run each.

The comment before a block states it. `run: node`, `run: cluster` and `run: workstation` are for
commands; an additional name selects one of several ways. `file: NAME` is for the content of a file,
and `job: NAME` for a file whose commands another program runs. `prints` is for the output of the
previous block."""

import pathlib
import re
from dataclasses import dataclass, field

from documents import ROOT, Document


@dataclass
class Step:
    where: str  # node, cluster or workstation
    way: str
    section: str  # The nearest heading above.
    line: int
    commands: str
    prints: list = field(default_factory=list)

    def check(self, printed):
        """Whether `printed` contains these lines in this order; `…` matches anything."""
        lines = iter(printed.splitlines())
        for shown in self.prints:
            words = [re.escape(word).replace("…", ".*") for word in shown.split()]
            pattern = r"\s*" + r"\s+".join(words).replace(r"\s+.*\s+", r"\s.*\s")
            if not any(re.match(pattern, line) for line in lines):
                raise AssertionError(f"line {self.line}: not printed: {shown}\n{printed}")


def headings(document):
    """All headings as (line, text)."""
    return [(at, line.lstrip("# ")) for at, line in document.prose if re.match(r"#+ ", line)]


class Walkthrough:
    def __init__(self, name):
        self.document = Document(ROOT / "docs" / name)
        self.files = {}
        self.jobs = {}
        self.steps = []
        above = headings(self.document)
        for block in self.document.blocks:
            kind, _, rest = block.marker.partition(": ")
            if kind == "file":
                self.files[rest] = block.text
            elif kind == "job":
                self.jobs[rest] = block.text
            elif kind == "run":
                where, _, way = rest.partition(", ")
                section = [heading for line, heading in above if line < block.line][-1]
                self.steps.append(Step(where, way, section, block.line, block.text))
            elif kind == "prints":
                self.steps[-1].prints = block.text.splitlines()
            elif block.language == "sh":
                raise AssertionError(f"{block}: where is it run?")

    def write_files(self, directory):
        """Writes the named files and the repository's folders into the directory of the run."""
        for name, text in self.files.items():
            path = pathlib.Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for folder in ("deploy", "build", "examples"):
            (pathlib.Path(directory) / folder).symlink_to(ROOT / folder)

    def of(self, where):
        return [step for step in self.steps if step.where == where]

    def under(self, *sections):
        return [step for step in self.steps if step.section in sections]


def kubectl_lines(commands):
    """Each call of kubectl or helm, on a separate line."""
    for line in commands.replace("\\\n", " ").splitlines():
        for part in re.split(r"\s\|\s", line):
            if part.split()[:1] in (["kubectl"], ["helm"]):
                yield part
