#!/usr/bin/env python3
"""What fixed work costs, in what does not depend on the machine, against what is written down.

    test/bench/check_costs.py build/release/test/bench/fixed_work

runs the program by itself, which counts allocations, and in callgrind, which counts instructions but
for those of the heap, and compares both with costs.json: more than 5 % more fails, and so does more than 5 % less, since
what was won would be lost again unnoticed. With PATCHBAY_UPDATE_GOLDEN=1 in the environment it
writes that file instead. What must grow with nothing, or not faster than what there is, is looked
at in both cases. On failure callgrind's files are kept, for callgrind_annotate.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMMITTED = HERE / "costs.json"
DOCUMENT = HERE.parent.parent / "docs" / "performance.md"
TOLERANCE = 0.05
COLUMNS = ("instructions", "allocations", "bytes", "kept")
# Less than that is as good as equal: of a few allocations one is many per cent.
SLACK = {"instructions": 2_000, "allocations": 2, "bytes": 256, "kept": 256}

# Sections, and how much more the second may cost than the first. What is told of in
# docs/performance.md, "Growth".
GROWTH = [
    ("compile 100 rules", "compile 200 rules", 2.2),
    ("start with 1000 units", "start with 2000 units", 2.2),
    # Twice the rules, in twice the subsystems: an event costs those of its own.
    ("match 500 devices, 100 rules of 5 subsystems",
     "match 500 devices, 200 rules of 10 subsystems", 1.1),
    ("1000 Allocates, 1000 units", "1000 Allocates, 2000 units", 1.1),
    ("10 lists of 1000 units", "10 lists of 2000 units", 2.2),
    ("a list of 1000 units, streams: 1", "a list of 1000 units, streams: 8", 1.1),
]

# The table of docs/performance.md: what it calls a piece of a section.
TOLD = {
    "compile 200 rules": "A rule of five lines: read, compiled",
    "the facts of 1000 devices": "A USB device: what is known of it",
    "start with 1000 units": "A unit of one device, of which 20 rules are asked",
    "start with 250 units of 4 devices": "A unit of four devices",
    "start with 1000 files, a probe of each": "A unit that is a file, with a probe",
    "match 500 devices, 100 rules of 5 subsystems": "An event: 20 rules are asked of the device",
    "1000 events that change a device": "The same up to the lists, of 1 000 units by 100 rules",
    "1000 events that no rule looks at": "An event that no rule looks at",
    "1000 results of probes": "A result of a probe that is what it was",
    "1000 Allocates, 1000 units": "An Allocate",
    "10 choices of 8 of 1000 units": "A choice of 8 out of 1 000 units",
    "10 lists of 1000 units": "A unit in a list, for all streams together",
    "metrics, 100 resources": "A resource in the metrics",
    "status as JSON, 1000 units": "A unit in the status as JSON",
}

# Whose code is counted, too, or does the counting.
PACKAGES = ["g++-12", "libc6", "libfmt-dev", "libprotobuf-dev", "libre2-dev", "libyaml-cpp-dev",
            "nlohmann-json3-dev", "valgrind"]

# Of the functions that the C library has for several CPUs, those are taken that run on all of them:
# callgrind shows a CPU of its own, but not the same one everywhere.
CPU_FEATURES = ["AVX512F", "AVX512VL", "AVX512BW", "AVX2", "AVX", "BMI2", "ERMS", "FSRM", "LZCNT",
                "MOVBE", "POPCNT", "RTM", "SSE4_2", "SSE4_1", "SSSE3"]

# Nothing of who runs it.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in CPU_FEATURES),
}


def heap_of(program):
    """By section: how many pieces of work, and what of the heap they took."""
    answer = subprocess.run([program], env=ENVIRONMENT, check=True, stdout=subprocess.PIPE,
                            text=True)
    costs = {}
    for line in answer.stdout.splitlines():
        name, count, allocations, size, kept = line.split("\t")
        costs[name] = {"pieces": int(count), "allocations": int(allocations), "bytes": int(size)}
        if kept != "-":
            costs[name]["kept"] = int(kept)
    return costs


def instructions_of(program, folder):
    """By section."""
    subprocess.run(["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no",
                    f"--callgrind-out-file={folder}/callgrind", program],
                   env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
    counts = {}
    for path in pathlib.Path(folder).iterdir():
        text = path.read_text(errors="replace")
        section = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        if section:
            counts[section[1]] = int(re.search(r"^summary: (\d+)", text, re.M)[1])
    return counts


def versions():
    answer = subprocess.run(["dpkg-query", "--show", "--showformat", "${Package} ${Version}\n",
                             *PACKAGES], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True, check=False)
    return dict(line.split() for line in answer.stdout.splitlines() if len(line.split()) == 2)


def change(now, before):
    return (now - before) / before if before else float(now != before)


def differs(column, now, before):
    return abs(now - before) > max(TOLERANCE * abs(before), SLACK[column])


def differences(costs, committed):
    """A line for each."""
    lines = []
    for name in committed.keys() - costs.keys():
        lines.append(f"{name}: is written down and not done")
    for name, cost in costs.items():
        if name not in committed:
            lines.append(f"{name}: is not written down")
            continue
        for column in COLUMNS:
            now, before = cost.get(column, 0), committed[name].get(column, 0)
            if differs(column, now, before):
                lines.append(f"{name}: {now:,} {column}, written down are {before:,}"
                             f" ({change(now, before):+.1%})")
    return lines


def growth_faults(costs):
    lines = []
    for small, large, most in GROWTH:
        for column in ("instructions", "bytes"):
            ratio = costs[large][column] / costs[small][column]
            if ratio > most:
                lines.append(f"{large}: {ratio:.2f} times the {column} of '{small}', at most {most}"
                             " were right")
    return lines


def print_table(costs, committed):
    rows = [("", "pieces", "instructions", "allocations", "bytes", "kept", "change")]
    for name, cost in costs.items():
        each = [f"{cost[column] / cost['pieces']:,.1f}".removesuffix(".0")
                if column in cost else "" for column in COLUMNS]
        before = committed.get(name, {}).get("instructions", 0)
        rows.append((name, str(cost["pieces"]), *each,
                     f"{change(cost['instructions'], before):+.1%}" if before else "new"))
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print(row[0].ljust(widths[0]),
              *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:])), sep="  ")
    print("instructions, allocations and bytes are of each piece; the change is that of the"
          " instructions", flush=True)


def rounded(figure):
    """Two digits that count: "88 K"."""
    figure = float(f"{figure:.2g}")
    for unit, size in (("M", 1e6), ("K", 1e3)):
        if figure >= size:
            return f"{figure / size:g} {unit}"
    return f"{figure:.0f}"


def document(costs):
    """The document with the figures in its table."""
    rows = ["| What | Instructions | Allocations | Bytes that stay |", "|---|---|---|---|"]
    for name, told in TOLD.items():
        each = {column: costs[name][column] / costs[name]["pieces"] for column in COLUMNS
                if column in costs[name]}
        kept = rounded(each["kept"]) if "kept" in each else ""
        rows.append(f"| {told} | {rounded(each['instructions'])} | {rounded(each['allocations'])}"
                    f" | {kept} |")
    table = "\n".join(rows)
    return re.sub(r"(<!-- costs -->\n).*?(?=\n\n)", lambda found: found[1] + table,
                  DOCUMENT.read_text(), count=1, flags=re.S)


def write(costs):
    DOCUMENT.write_text(document(costs))
    COMMITTED.write_text(json.dumps({"of": versions(), "costs": costs}, indent=2) + "\n")


def what_to_do(folder, of):
    here = versions()
    others = [f"{package} {version}, here {here.get(package, 'none')}"
              for package, version in of.items() if here.get(package) != version]
    if others:
        print("The figures were counted with other packages, and may differ by that alone:",
              *others, sep="\n  ")
    print(f"""
To see where: callgrind_annotate --inclusive=yes FILE, of those in {folder};
the head of each names its section, after "Trigger". What costs more by mistake is to be mended.
What is meant, or costs less, is written down, and committed with what changed it, by
  PATCHBAY_UPDATE_GOLDEN=1 ctest --preset release --tests-regex '^costs$'""")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = tempfile.mkdtemp(prefix="patchbay-costs-")
    program = pathlib.Path(sys.argv[1]).resolve()
    costs = heap_of(program)
    for name, count in instructions_of(program, folder).items():
        costs[name]["instructions"] = count
    known = json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {"of": {}, "costs": {}}
    print_table(costs, known["costs"])
    faults = growth_faults(costs)
    if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
        write(costs)
    else:
        faults += differences(costs, known["costs"])
        if known["costs"] and document(known["costs"]) != DOCUMENT.read_text():
            faults.append("docs/performance.md does not have the figures of costs.json")
    if faults:
        print("", *faults, sep="\n")
        what_to_do(folder, known["of"])
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
