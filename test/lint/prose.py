#!/usr/bin/env python3
"""Checks comments, messages and documents for long sentences and for constructions that readers must
decode: prose.py [--count] [FILE...], all tracked files by default. CONTRIBUTING.md has the rules of
writing, prose_rules.tsv the constructions. prose_exceptions.tsv lists accepted sentences."""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def rows(name):
    """The lines of a table beside this file, without comments."""
    return [line.split("\t") for line in (HERE / name).read_text().splitlines() if line and line[0] != "#"]


LONGEST = 25  # Words in a sentence.
RULES = [(why, re.compile(pattern, 0 if pattern[0] == "^" else re.I)) for why, pattern in rows("prose_rules.tsv")]
SENTENCE_END = re.compile(
    r"(?<=[.!?])[)\"*_']*\s+(?=[\"'*_(]*(?:[A-Z0-9`$]|(?:gRPC|udevd?|systemd|libuv|sysfs|inotify|kubelet)\b))"
)
CODE = re.compile(r"`[^`]*`|\$\([^)]*\)|https?://\S+|<[^>]*>|\[[^]]*\]\([^)]*\)")


def comments(text, mark):
    """The blocks of comment lines, each with its first line's number. Indented lines and list items
    are blocks of their own."""
    pattern = {"//": r"(?:^|(?<=[\s;,{(]))//[/<!]*\s?(.*)", "#": r"(?:^|(?<=\s))#(?![!{])\s?(.*)"}[mark]
    block, start = [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = re.search(pattern, re.sub(r'"(\\.|[^"\\])*"', lambda m: "_" * len(m[0]), line))
        alone = found and not line[: found.start()].strip()
        words = line[found.start(1) :] if found else ""
        in_item = block and block[0][:2] in ("- ", "* ")
        begins = line.strip().startswith("///<") or re.match(r"[-*] " if in_item else r" {2,}\S|[-*] ", words)
        if block and not (alone and words.strip() and not begins):
            yield start, " ".join(block)
            block = []
        if words.strip():
            if not block:
                start = number
            block.append(words.strip())
            if not alone:
                yield start, " ".join(block)
                block = []


def messages(text):
    """The string literals of a C++ file that are sentences. Adjacent literals are joined."""
    for found in re.finditer(r'(?:"(?:\\.|[^"\\\n])*"\s*)+', text):
        whole = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', found[0])).replace('\\"', "'")
        if len(re.findall(r"\b[a-z]{2,}\b", whole)) >= 4 and "#include" not in found[0]:
            for piece in whole.split("\\n"):
                yield text.count("\n", 0, found.start()) + 1, piece


def prose_of_markdown(text):
    text = re.sub(r"(?ms)^( *)```.*?^\1```|<!--.*?-->|^---\n.*?^---$", lambda m: "\n" * m[0].count("\n"), text)
    block, start = [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        cells = line.strip().strip("|").split(" | ") if line.lstrip().startswith("|") else None
        begins = not line.strip() or cells or re.match(r"\s*([-*+>#]|\d+\.)\s?", line)
        if begins and block:
            yield start, " ".join(block)
            block = []
        for cell in cells or []:
            yield number, cell
        if line.strip() and not cells:
            start = start if block else number
            block.append(re.sub(r"^\s*([-*+>]|#+|\d+\.)\s", "", line).strip())


def findings(path, text):
    blocks = []
    if path.suffix == ".md":
        blocks += prose_of_markdown(text)
    elif path.suffix in (".h", ".cpp", ".proto"):
        blocks += comments(text, "//")
        blocks += messages(text) if path.suffix == ".cpp" and path.parts[0] == "src" else []
    else:
        blocks += comments(text, "#")
    for line, block in blocks:
        block = CODE.sub(lambda m: re.sub(r"\]\(.*|^\[", "", m[0]) if m[0][0] == "[" else "X", block)
        for sentence in SENTENCE_END.split(block):
            sentence = sentence.strip(" *_")
            if len(re.findall(r"[\w'’/$.-]*\w", sentence)) > LONGEST:
                yield line, f"more than {LONGEST} words", sentence
            for why, pattern in RULES:
                if found := pattern.search(sentence):
                    yield line, f"{why}: '{found[0].strip()[:40]}'", sentence


def main(arguments):
    counting = "--count" in arguments
    paths = [a for a in arguments if a != "--count"] or [
        f for f in subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
        if re.search(r"\.(md|h|cpp|py|ya?ml|sh|cmake|proto)$|^scripts/|^\.ci/|CMakeLists.txt$", f)]
    accepted = rows("prose_exceptions.tsv")
    total = 0
    for path in paths:
        number = 0
        for line, why, sentence in findings(pathlib.Path(path), pathlib.Path(path).read_text(errors="replace")):
            if any(e[0] == path and e[1] in sentence for e in accepted):
                continue
            number += 1
            if not counting:
                print(f"{path}:{line}: {why}\n    {sentence[:150]}")
        if counting and number:
            print(f"{number:5} {path}")
        total += number
    print(f"{total} findings", file=sys.stderr)
    return total > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
