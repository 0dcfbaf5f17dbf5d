"""Parses the repository's Markdown: fenced blocks, tables, links, and the comments before them that
state the kind of a block."""

import pathlib
import os
import re
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Folders that are not part of the repository: build outputs and clones.
SKIPPED = {"build", ".git", ".cache"}


@dataclass
class Block:
    """A fenced block. `marker` is the comment right before it: `<!-- marker -->`."""

    path: pathlib.Path
    line: int
    language: str
    marker: str
    text: str = ""

    def __str__(self):
        return f"{self.path.relative_to(ROOT)}:{self.line}"


@dataclass
class Table:
    path: pathlib.Path
    line: int
    marker: str
    head: list = field(default_factory=list)  # The cells of the first row.
    rows: list = field(default_factory=list)  # The cells of each row below it.

    def __str__(self):
        return f"{self.path.relative_to(ROOT)}:{self.line}"

    def end(self):
        """Called after the last line. Separates the header, and drops the line below it."""
        self.head, self.rows = self.rows[0], self.rows[2:]

    def column(self, name):
        """The cells of the column with this header, by the row's key; {} without such a column."""
        if name not in self.head:
            return {}
        at = self.head.index(name)
        return {row[0].strip("`"): row[at] for row in self.rows}

    def keys(self):
        """The first cell of each row, without its backticks."""
        return [row[0].strip("`") for row in self.rows]


class Document:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        self.blocks = []
        self.tables = []
        self.prose = []  # (number, line) of all other lines.
        self._parse()

    def _parse(self):
        marker, block, table = "", None, None
        for number, line in enumerate(self.text.splitlines(), 1):
            fence = re.fullmatch(r"\s*```(\w*)", line)
            comment = re.fullmatch(r"\s*<!-- (.*) -->", line)
            if block is not None:
                if fence:
                    block.text = dedent(block.text)
                    self.blocks.append(block)
                    block = None
                else:
                    block.text += line + "\n"
                continue
            if line.startswith("|"):
                if table is None:
                    table = Table(self.path, number, marker)
                    self.tables.append(table)
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                table.rows.append(cells)
                marker = ""
                continue
            if table is not None:
                table.end()
                table = None
            if fence:
                block = Block(self.path, number, fence[1], marker)
            elif comment:
                marker = comment[1]
                continue
            elif line.strip():
                self.prose.append((number, line))
            else:
                continue
            marker = ""
        if table is not None:
            table.end()
        if block is not None:
            raise ValueError(f"{block}: the block is not closed")

    def code(self):
        """Every text in code style."""
        texts = [block.text for block in self.blocks]
        for _, line in self.prose:
            texts += re.findall(r"`([^`]+)`", line)
        for table in self.tables:
            for row in table.rows:
                texts += re.findall(r"`([^`]+)`", "|".join(row))
        return texts

    def anchors(self):
        """The fragments for links to headings."""
        headings = [line for _, line in self.prose if re.match(r"#+ ", line)]
        return {
            re.sub(r"[^\w\- ]", "", heading.lstrip("#").strip().lower()).replace(" ", "-")
            for heading in headings
        }

    def links(self):
        """(line, target) of each link into the repository."""
        for number, line in self.prose + [
            (table.line, " ".join(row)) for table in self.tables for row in table.rows
        ]:
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if not re.match(r"[a-z]+:", target):
                    yield number, target


def dedent(text):
    lines = text.splitlines()
    indent = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
    return "".join(l[indent:] + "\n" for l in lines)


def all_documents():
    """Every .md file of the repository."""
    paths = []
    for directory, below, files in os.walk(ROOT):
        # Skips build outputs, which appear and disappear during the test.
        below[:] = [name for name in below if name not in SKIPPED]
        paths += [pathlib.Path(directory) / name for name in files if name.endswith(".md")]
    return [Document(path) for path in sorted(paths)]


def user_documents():
    """Documents that a release contains: README.md and docs/, with its pages for maintainers."""
    return [
        d for d in all_documents() if ROOT / "docs" in d.path.parents or d.path == ROOT / "README.md"
    ]


def table_marked(marker):
    """The only table with that marker."""
    found = [t for d in user_documents() for t in d.tables if t.marker == marker]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} tables are marked <!-- {marker} -->, one should be")
    return found[0]
