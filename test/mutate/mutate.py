"""Mutation test: changes the code at one place at a time, and counts the changes that the tests of
its folder detect: the unit tests, and for src/suggest also the transcripts of the whole program.

Each change (a mutant) is compiled from a copy, without optimization and sanitizers. It is linked
before the libraries of the preset `mutate`, so that it replaces the original functions. The source
stays as it is. A mutant is killed if the test program fails, crashes or hangs. It survives if all
tests pass: then a test is missing, or the code has no effect. Mutants that cannot change the
behaviour are in test/mutate/equivalent.tsv, each with the reason, and are not run.

examples:
  scripts/mutate src/inventory                    all mutants of a folder
  scripts/mutate --sample 100 src/inventory       a hundred of them
  scripts/mutate --sample 100 --seed 7 src/inventory src/rules/match/condition.cpp
  scripts/mutate src/inventory/claims.cpp:142     the mutants of one line
  scripts/mutate --list src/host/udev/udev_pending.cpp
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import operators

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = ROOT / "test/mutate/equivalent.tsv"
BUILD = ROOT / "build/mutate"
MARGIN = 10  # Seconds of the time limit, in addition to five times the time of the unchanged tests.
MEMORY = 4 << 30  # Bytes of one test program.
RESULTS = ("killed", "survived", "invalid")
# Tests of the whole program, for folders whose behaviour is mostly checked there.
TRANSCRIPTS = {"suggest": ["/usr/bin/python3", "-B", "-m", "unittest", "discover", "--failfast",
                           "--start-directory", "test/suggest"]}


@dataclasses.dataclass
class Outcome:
    mutant: operators.Mutant
    result: str   # One of RESULTS; invalid if it does not compile.
    how: str      # The first failed test, "hangs", or the signal of a crash.


class Usage(Exception):
    """A mistake of the caller."""


def read_equivalent(path):
    """The lines of equivalent.tsv: {(file, before, after): reason}."""
    known = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 4 or not all(fields):
            raise Usage(f"{path}:{number}: write four fields with tabs between them: "
                        "file, line, changed line, reason")
        known[tuple(fields[:3])] = fields[3]
    return known


def key_of(mutant):
    return (mutant.file, mutant.before, mutant.after)


def select(arguments, root=ROOT):
    """The mutants of the arguments: folders, files, or FILE:LINE."""
    found = []
    for argument in arguments:
        name, _, line = argument.partition(":")
        path = root / name
        files = sorted(path.rglob("*.cpp")) if path.is_dir() else [path]
        if not files or not all(f.is_file() and f.suffix == ".cpp" for f in files):
            raise Usage(f"{argument}: write a folder of src, or a .cpp file in it")
        for file in files:
            inside = file.resolve().relative_to(root.resolve())
            if len(inside.parts) < 3 or inside.parts[0] != "src":
                raise Usage(f"{argument}: write a folder of src, or a .cpp file in it")
            found += [m for m in operators.mutants(str(inside), file.read_text())
                      if not line or m.line == int(line)]
    return sorted(set(found))


def folder_of(file):
    """The folder of a file: src/rules/text/glob.cpp -> rules/text"""
    return "/".join(pathlib.PurePath(file).parts[1:-1])


def tests_of(folder):
    """The unit tests of a folder: rules/text -> rules_test"""
    top = folder.partition("/")[0]
    # These folders also have tests of the whole program.
    return f"{top}_unit_test" if top in ("cli", "daemon") else f"{top}_test"


def compiler_of(name, build=BUILD):
    """The command that compiles a file of the folder, up to -o."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if f"/CMakeFiles/patchbay_{name.replace('/', '_')}.dir/" in entry["command"]:
            words = shlex.split(entry["command"])
            words = words[1:] if words[0].endswith("ccache") else words
            return words[:words.index("-o")]
    raise Usage(f"src/{name} is not compiled in {build}")


def unit_tests_of(name):
    """The program of the unit tests of a folder: rules/text -> test/rules/rules_test"""
    return f"test/{name.partition('/')[0]}/{tests_of(name)}"


def linker_of(program, build=BUILD):
    """The command that links a program, without `-o PROGRAM`."""
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", program],
                              capture_output=True, text=True, check=True).stdout
    for command in commands.splitlines():
        if f" -o {program} " in command:
            words = shlex.split(re.search(r"\S*g\+\+ .*?(?= && )", command).group())
            at = words.index("-o")
            return words[:at] + words[at + 2:]
    raise Usage(f"{program} is not linked in {build}")


def own_tests(file):
    """A filter of the tests with the name of the file, which are likely to fail."""
    return "*" + "".join(w.title() for w in pathlib.PurePath(file).stem.split("_")) + "*"


class Folder:
    """Builds and runs the tests of one folder, with one changed file."""

    def __init__(self, name, compiler, linker, scratch, root=ROOT, build=BUILD,
                 program_linker=()):
        """`program_linker` links patchbay. Empty: the folder has no TRANSCRIPTS."""
        self.name = name
        self._limits = {}  # Seconds of a run, by filter.
        self._texts = {}   # By file, because somebody may edit the files during the run.
        self._compiler = compiler
        self._linker = linker
        self._program_linker = program_linker
        self._scratch = scratch
        self._root = root
        self._build = build

    def build(self, text, name):
        """Compiles a file with this text. Returns the test program; None if it does not compile."""
        source = self._scratch / f"{name}.cpp"
        source.write_text(text)
        compiled = [*self._compiler, "-w", "-o", self._scratch / f"{name}.o", "-c", source]
        if subprocess.run(compiled, cwd=self._build, capture_output=True).returncode != 0:
            return None
        return self._link(name, self._linker, "tests")

    def _link(self, name, linker, kind):
        """Links the compiled file before the original one. Returns the program, or None."""
        program = self._scratch / f"{name}.{kind}"
        linked = [linker[0], self._scratch / f"{name}.o", *linker[1:], "-o", program,
                  "-fuse-ld=gold", "-Wl,--allow-multiple-definition"]
        done = subprocess.run(linked, cwd=self._build, capture_output=True)
        return program if done.returncode == 0 else None

    def run(self, program, filters):
        """Runs the unit tests. Returns why they fail; empty if they pass."""
        why, output = self._run(
            [program, "--gtest_fail_fast", "--gtest_brief=1", f"--gtest_filter={filters}"], filters)
        failed = re.search(r"\[  FAILED  \] ([\w./]+)", output)
        return failed.group(1) if why and failed else why

    def _run_transcripts(self, name):
        """As run(), for the tests of the whole program, if the folder has some."""
        if not self._program_linker:
            return ""
        program = self._link(name, self._program_linker, "patchbay")
        why, output = self._run(TRANSCRIPTS[self.name], "transcripts", PATCHBAY_BINARY=str(program))
        failed = re.search(r"^(?:FAIL|ERROR): (\w+)", output, re.MULTILINE)
        return failed.group(1) if why and failed else why

    def _run(self, command, limit, **environment):
        """Returns why the command fails, which is empty if it does not, and its output."""
        process = subprocess.Popen(
            command, cwd=self._root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True, preexec_fn=limit_process,
            env={**os.environ, "PATCHBAY_PATIENCE": "5", **environment})
        try:
            output, _ = process.communicate(timeout=self._limits.get(limit))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "hangs", ""
        return (f"exit status {process.returncode}" if process.returncode else ""), output

    def measure(self, files):
        """Runs the unchanged tests, and derives the time limits."""
        self._texts = {file: (self._root / file).read_text() for file in files}
        name = f"{self.name.replace('/', '-')}-unchanged"
        program = self.build(self._texts[files[0]], name)
        if program is None:
            raise Usage(f"{files[0]} does not compile or link without a mutant")
        for filters in sorted({"*", *map(own_tests, files)}):
            begin = time.monotonic()
            if why := self.run(program, filters):
                raise Usage(f"{tests_of(self.name)} fails without a mutant: {why}")
            self._limits[filters] = MARGIN + 5 * (time.monotonic() - begin)
        begin = time.monotonic()
        if why := self._run_transcripts(name):
            raise Usage(f"the transcripts of {self.name} fail without a mutant: {why}")
        self._limits["transcripts"] = MARGIN + 5 * (time.monotonic() - begin)

    def judge(self, mutant, number):
        name = f"mutant{number}"
        program = self.build(mutant.apply(self._texts[mutant.file]), name)
        try:
            if program is None:
                return Outcome(mutant, "invalid", "")
            why = (self.run(program, own_tests(mutant.file)) or self.run(program, "*")
                   or self._run_transcripts(name))
            return Outcome(mutant, "killed" if why else "survived", why)
        finally:
            for file in self._scratch.glob(f"{name}.*"):
                file.unlink()


def limit_process():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def share(outcomes):
    """The share of mutants that are killed, in percent; None without mutants."""
    killed = sum(o.result == "killed" for o in outcomes)
    counted = sum(o.result != "invalid" for o in outcomes)
    return 100 * killed / counted if counted else None


def text_of(percent):
    return "-" if percent is None else f"{percent:.0f} %"


def table(outcomes, equivalent):
    """The table of results, with a row for each file and one for all."""
    files = sorted({o.mutant.file for o in outcomes})
    rows = [["file", "killed", "survived", "invalid", "equivalent", "share"]]
    for file in [*files, "all"]:
        of_file = [o for o in outcomes if file in ("all", o.mutant.file)]
        rows.append([file, *(str(sum(o.result == r for o in of_file)) for r in RESULTS),
                     str(sum(file in ("all", m.file) for m in equivalent)),
                     text_of(share(of_file))])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))])
        for row in rows)


def difference(mutant):
    return (f"{mutant.file}:{mutant.line}: {mutant.operator}\n"
            f"  - {mutant.before}\n  + {mutant.after}")


def progress(outcome):
    mutant = outcome.mutant
    return (f"{outcome.result:8} {mutant.file}:{mutant.line} {mutant.operator} "
            f"{outcome.how}").rstrip()


def report(outcomes, equivalent, seed, sample):
    """The content of the file that --json writes."""
    return {
        "seed": seed,
        "sample": sample,
        "share": share(outcomes),
        "equivalent": len(equivalent),
        "mutants": [{"file": o.mutant.file, "line": o.mutant.line, "operator": o.mutant.operator,
                     "before": o.mutant.before, "after": o.mutant.after, "result": o.result,
                     "how": o.how} for o in outcomes],
    }


def run_all(mutants, jobs):
    names = sorted({folder_of(m.file) for m in mutants})
    programs = {tests_of(name) for name in names}
    if any(name in TRANSCRIPTS for name in names):
        programs.add("patchbay")
    subprocess.run([ROOT / "scripts/build", "mutate", *sorted(programs)], check=True,
                   stdout=sys.stderr)
    outcomes = []
    with tempfile.TemporaryDirectory(dir=BUILD, prefix="mutants-") as scratch:
        folders = {}
        for name in names:
            linker = linker_of("src/patchbay") if name in TRANSCRIPTS else ()
            folders[name] = Folder(name, compiler_of(name), linker_of(unit_tests_of(name)),
                                   pathlib.Path(scratch), program_linker=linker)
            folders[name].measure(sorted({m.file for m in mutants if folder_of(m.file) == name}))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            running = [pool.submit(folders[folder_of(m.file)].judge, m, number)
                       for number, m in enumerate(mutants)]
            try:
                for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                    outcomes.append(future.result())
                    print(f"[{done}/{len(mutants)}] {progress(outcomes[-1])}", file=sys.stderr,
                          flush=True)
            finally:
                pool.shutdown(cancel_futures=True)
    return sorted(outcomes, key=lambda o: o.mutant)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="scripts/mutate", description=__doc__.partition("\nexamples:")[0],
        epilog="examples:" + __doc__.partition("\nexamples:")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="FOLDER|FILE[:LINE]",
                        help="a folder of src, a .cpp file in it, or one line of it")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="only N mutants, selected by the seed")
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d")
    parser.add_argument("--seed", type=int, metavar="N", default=int(today),
                        help="of --sample; default: a new one each day")
    parser.add_argument("--at-least", type=float, default=85, metavar="PERCENT",
                        help="exit status 1 if a smaller share is killed; default: 85")
    parser.add_argument("--jobs", type=int, metavar="N", default=os.cpu_count(),
                        help="mutants at a time; default: the number of cores")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="write each mutant and its result to a file")
    parser.add_argument("--list", action="store_true", help="list the mutants, and run none")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    known = read_equivalent(EQUIVALENT)
    everything = select(options.paths)
    equivalent = [m for m in everything if key_of(m) in known]
    mutants = [m for m in everything if key_of(m) not in known]
    if options.sample is not None and options.sample < len(mutants):
        mutants = sorted(random.Random(options.seed).sample(mutants, options.sample))
    if options.list:
        print("\n".join(map(difference, mutants)))
        return 0
    if not mutants:
        raise Usage("there are no mutants: " + " ".join(options.paths))
    outcomes = run_all(mutants, options.jobs)
    for outcome in outcomes:
        if outcome.result == "survived":
            print("survived: " + difference(outcome.mutant))
    print(table(outcomes, equivalent))
    if options.json:
        options.json.write_text(
            json.dumps(report(outcomes, equivalent, options.seed, options.sample), indent=2) + "\n")
    killed = share(outcomes)
    if killed is None or killed >= options.at_least:
        return 0
    print(f"{killed:.1f} % of the mutants were killed, fewer than {options.at_least:g} %: write "
          f"tests that detect the survivors (the seed is {options.seed})", file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Usage as mistake:
        print(f"scripts/mutate: {mistake}", file=sys.stderr)
        sys.exit(2)
