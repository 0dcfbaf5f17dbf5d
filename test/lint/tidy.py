"""Runs clang-tidy on files that are not known to be clean. Usage: tidy.py BUILD

Checks the files of src and test that BUILD compiles. A build that compiles each folder as one file
is best, because most of the time is spent on common headers. A file stays clean as long as
clang-tidy's inputs for it stay unchanged:

  - the file and all headers of this repository that it includes, with their comments (NOLINT),
  - every .clang-tidy,
  - the command in BUILD/compile_commands.json,
  - clang-tidy,
  - the packages of all other headers.

The keys of clean files are the names of empty files in the folder patchbay-lint, beside ccache's
cache or in ~/.cache. Without that folder, all files are checked."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

# libstdc++ uses get_temporary_buffer, which clang reports as deprecated. Some warnings of GCC have
# no name in clang.
TIDY = ["clang-tidy-19", "-quiet", "-extra-arg=-Wno-deprecated-declarations",
        "-extra-arg=-Wno-unknown-warning-option"]
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
FINDING = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning):)", re.MULTILINE)
KEPT_DAYS = 60
KEPT_KEYS = 20_000


def cache_directory():
    beside = os.environ.get("CCACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.path.dirname(beside.rstrip("/")) if beside else home) / "patchbay-lint"


def output_of(command):
    return subprocess.run(command, capture_output=True, check=True).stdout


class Keys:
    """Computes a key of clang-tidy's inputs for one file of the build. Reads each file once."""

    def __init__(self, root, build, tools):
        self._root = root
        self._commands = {
            entry["file"]: entry["command"]
            for entry in json.loads((build / "compile_commands.json").read_text())
        }
        configs = [path.read_bytes() for path in sorted(root.glob("**/.clang-tidy"))]
        self._common = hashlib.sha256(b"\0".join([tools, *configs])).hexdigest()
        self._read = {}

    def of(self, file):
        command = self._commands[str(file)]
        words = shlex.split(command)
        folders = [self._root / (after if word == "-isystem" else word[2:])
                   for word, after in zip(words, words[1:])
                   if word == "-isystem" or word.startswith("-I")]
        parts = [self._common, command.replace(str(self._root), "")]
        for path in sorted(self._with_headers(file, folders)):
            parts += [str(path.relative_to(self._root)), self._contents(path)[0]]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _with_headers(self, file, folders):
        found, waiting = {file}, [file]
        while waiting:
            path = waiting.pop()
            for name in self._contents(path)[1]:
                for folder in (path.parent, *folders):
                    header = pathlib.Path(os.path.normpath(folder / name))
                    if self._contents(header) and header.is_relative_to(self._root):
                        if header not in found:
                            found.add(header)
                            waiting.append(header)
                        break
        return found

    def _contents(self, path):
        """The hash of a file and its includes; None if the file does not exist."""
        if path not in self._read:
            text = path.read_bytes() if path.is_file() else None
            self._read[path] = None if text is None else (
                hashlib.sha256(text.replace(bytes(self._root), b"")).hexdigest(),
                [name.decode() for name in INCLUDE.findall(text)],
            )
        return self._read[path]


class Clean:
    """The keys of files that were clean."""

    def __init__(self, directory):
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def knows(self, key):
        try:
            os.utime(self._directory / key)
        except FileNotFoundError:
            return False
        return True

    def add(self, key):
        (self._directory / key).touch()

    def forget_old(self):
        keys = sorted(((key.stat().st_mtime, key.path) for key in os.scandir(self._directory)),
                      reverse=True)
        oldest = time.time() - KEPT_DAYS * 86400
        for at, (used, path) in enumerate(keys):
            if at >= KEPT_KEYS or used < oldest:
                os.unlink(path)


class Report:
    """Prints the progress, and each finding once, because clang-tidy repeats those in headers."""

    def __init__(self, count):
        self._count = count
        self._done = 0
        self._said = set()

    def done(self, file, run):
        self._done += 1
        if run.returncode != 0:
            parts = [part for part in FINDING.split(run.stdout) if FINDING.match(part)]
            new = [part for part in parts if part not in self._said]
            self._said.update(new)
            print(f"{file}: clang-tidy finds fault", "".join(new) if parts else run.stderr,
                  sep="\n", file=sys.stderr, flush=True)
        elif self._done % 20 == 0:
            print(f"  {self._done} of {self._count}", file=sys.stderr, flush=True)


def compiled_files(root, build):
    """The files of src and test that the build compiles."""
    files = {pathlib.Path(entry["file"])
             for entry in json.loads((build / "compile_commands.json").read_text())}
    return sorted(f for f in files if name_of(f, root, build).parts[0] in ("src", "test"))


def name_of(file, root, build):
    """The name of a generated file, relative to the build: src/host/…"""
    return file.relative_to(build if file.is_relative_to(build) else root)


def lint(root, build, files, cache, tidy=TIDY, tools=b""):
    """Checks the files. Returns the number of files with findings."""
    keys = Keys(root, build, tools)
    clean = Clean(cache)
    wanted = {file: key for file in files if not clean.knows(key := keys.of(file))}
    print(f"clang-tidy: {len(files)} files, {len(files) - len(wanted)} known to be clean",
          file=sys.stderr, flush=True)

    def check(file):
        return file, subprocess.run([*tidy, "-p", str(build), str(file)], capture_output=True,
                                    text=True, errors="replace")

    report = Report(len(wanted))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done in concurrent.futures.as_completed([pool.submit(check, f) for f in wanted]):
            file, run = done.result()
            report.done(name_of(file, root, build), run)
            if run.returncode == 0:
                clean.add(wanted[file])
            else:
                failures += 1
    clean.forget_old()
    return failures


def main():
    root = pathlib.Path.cwd()
    tools = output_of([TIDY[0], "--version"]) + " ".join(TIDY).encode()
    packages = output_of(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", "*-dev"])
    build = root / sys.argv[1]
    return 1 if lint(root, build, compiled_files(root, build), cache_directory(), TIDY,
                     tools + packages) else 0


if __name__ == "__main__":
    sys.exit(main())
