#!/usr/bin/env python3
"""Checks comments, messages and documents for long sentences and for constructions that readers must
decode: prose.py [--count] [FILE...], all tracked files by default. CONTRIBUTING.md has the rules.
prose_exceptions.txt beside it lists what is accepted: a file, a text of its line, and the reason."""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
LONGEST = 25  # Words in a sentence.
VERB = r"(is|are|was|were|be|been|being|gets?)"
BANNED = {
    "a clause needs a noun as its subject": [
        r"^(Who|Whoever|Whatever|Whichever) [^?]*$",
        r"^What (?!is new|to )[^?]*\b[^?]*$",
        r"\b(of|for|by|to|than|with|from|at|after|before|until|if|whether|that|and|but) (who|what) \w+",
    ],
    "begin with the subject": [
        r"^(Of|Nor|Neither|Not to|So (is|are|was|has|have|do|does|did|can|it|they|many|much|long|often|soon|far))\b",
        r"(?<!\bno) (so|nor) (is|are|do|does|has|have|can) (it|they|the|a|an)\b",
        r"(^|[.;,:] )none: ", r"^That (it|they|he|none|nobody|a|an|the|no|one) .* (is|are|was|needs|has)\b",
    ],
    "use the field's term": [
        rf"\b{VERB} (told|heard|looked (at|into|after))\b", r"\b(told|heard|hears?)\b",
        r"\b(look|looks|looked|looking) (at|into|after)\b", r"\bstands? (there|here|in|at|beside|by)\b",
        r"\b(tell|tells|telling) of\b", r"\bthings?\b", r"\bnews\b",
        r"\b(guests?|seats?|doors?|strays?|wanderers?)\b", r"\bhave it \w+ed\b", r"\bhas (one|it) \w+ed\b",
        r"\bstandstills?\b", r"\bon (its|their|the) way\b", r"\b(is|are) another now\b",
    ],
    "write plain English": [
        r"(^|[.;,] )else,? (it|they|the|a|an|there|one|no|what|nothing)\b", r"\b(mend|mends|mended|mending)\b",
        r"\banew\b", r"\bfor good\b", r"\ball the same\b", r"\b(is|are|was|were) to be\b", r"\bhas to be\b",
        r"\bso (often|long) (as )?a\b", r", for (it|they|he|this|that|these|those|there|none|nobody|no|a|an|the) \w+ (is|are|was|has|have|can|could|would|does)\b",
        r"\b(lest|whereof|thereof|whereby|nought|naught|alike|likewise)\b", r"\bbut (for|that of)\b",
        r"\bsuch as (it|they)\b", r"\bas it was\b", r"\bwhat (hangs|comes|goes|stands|waits)\b",
    ],
}
RULES = [(why, re.compile(p, re.I if p[0] != "^" else 0)) for why, ps in BANNED.items() for p in ps]
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
    """The string literals of a C++ file that are sentences; adjacent ones are one."""
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
        for sentence in re.split(r"(?<=[.!?])[)\"*_']*\s+(?=[\"'*_(]*(?:[A-Z0-9`$X]|(?:gRPC|udev|udevd|systemd|libuv|libevent|sysfs|inotify|kubelet)\b))", block):
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
    listed = HERE / "prose_exceptions.txt"
    accepted = [l.split("\t") for l in listed.read_text().splitlines() if l and l[0] != "#"] if listed.exists() else []
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
