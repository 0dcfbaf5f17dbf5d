#!/usr/bin/env python3
"""Compares the machine-independent costs of fixed work with recorded figures.

    test/bench/check_costs.py build/release/test/bench/fixed_work

Runs the program alone, which counts allocations, and in callgrind, which counts instructions
without those of the heap. Compares both with costs.json. A difference of more than 5 % in either
direction fails, because an unrecorded gain could be lost unnoticed. With PATCHBAY_UPDATE_GOLDEN=1
in the environment it writes costs.json instead. In both cases it also checks which costs stay
constant or grow at most in proportion. On failure it keeps callgrind's files for
callgrind_annotate.
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
DOCUMENT = HERE / "README.md"
TOLERANCE = 0.05
COLUMNS = ("instructions", "allocations", "bytes", "kept")
# Smaller differences are ignored: with few allocations, one is many per cent.
SLACK = {"instructions": 2_000, "allocations": 2, "bytes": 256, "kept": 256}

# Pairs of sections with the maximum ratio of their costs; "Growth" in README.md documents them.
GROWTH = [
    ("compile 100 rules", "compile 200 rules", 2.2),
    ("start with 1000 units", "start with 2000 units", 2.2),
    # With twice the rules in twice the subsystems, an event costs the same.
    ("match 500 devices, 100 rules of 5 subsystems",
     "match 500 devices, 200 rules of 10 subsystems", 1.1),
    ("1000 Allocates, 1000 units", "1000 Allocates, 2000 units", 1.1),
    ("10 lists of 1000 units", "10 lists of 2000 units", 2.2),
    ("a list of 1000 units, streams: 1", "a list of 1000 units, streams: 8", 1.1),
]

# The table of README.md: the unit of work of each section.
LABELS = {
    "compile 200 rules": "A rule of five lines: reading and compilation",
    "facts of 1000 devices": "The facts of a USB device",
    "start with 1000 units": "A unit of one device, matched against 20 rules",
    "start with 250 units of 4 devices": "A unit of four devices",
    "start with 1000 files, a probe of each": "A unit that is a file, with a probe",
    "match 500 devices, 100 rules of 5 subsystems": "An event: its device is matched against 20 rules",
    "1000 events that change a device": "The same event until the lists are ready, with 1 000 units of 100 rules",
    "1000 events of other subsystems": "An event of a subsystem without rules",
    "1000 unchanged probe results": "An unchanged result of a probe",
    "1000 Allocates, 1000 units": "An Allocate call",
    "10 preferred allocations of 8 of 1000 units":
        "A preferred allocation of 8 of 1 000 units",
    "10 lists of 1000 units": "A unit in a list, once for all streams",
    "metrics, 100 resources": "A resource in the metrics",
    "status as JSON, 1000 units": "A unit in the status as JSON",
}

# Packages of the measured code and of the measuring tools: the figures depend on their versions.
PACKAGES = ["g++-12", "libc6", "libfmt-dev", "libprotobuf-dev", "libre2-dev", "libyaml-cpp-dev",
            "nlohmann-json3-dev", "valgrind"]

# Disables variants of the C library's functions for certain CPUs, because callgrind's emulated CPU
# depends on the machine.
CPU_FEATURES = ["AVX512F", "AVX512VL", "AVX512BW", "AVX2", "AVX", "BMI2", "ERMS", "FSRM", "LZCNT",
                "MOVBE", "POPCNT", "RTM", "SSE4_2", "SSE4_1", "SSSE3"]

# The whole environment of the programs, without variables of the user.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in CPU_FEATURES),
}


def heap_of(program):
    """The number of work units and the heap use of each section."""
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
    """The instructions of each section."""
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
    """One line for each difference."""
    lines = []
    for name in committed.keys() - costs.keys():
        lines.append(f"{name}: in costs.json, but not in the program")
    for name, cost in costs.items():
        if name not in committed:
            lines.append(f"{name}: not in costs.json")
            continue
        for column in COLUMNS:
            now, before = cost.get(column, 0), committed[name].get(column, 0)
            if differs(column, now, before):
                lines.append(f"{name}: {now:,} {column}, costs.json has {before:,}"
                             f" ({change(now, before):+.1%})")
    return lines


def growth_faults(costs):
    lines = []
    for small, large, most in GROWTH:
        for column in ("instructions", "bytes"):
            ratio = costs[large][column] / costs[small][column]
            if ratio > most:
                lines.append(f"{large}: {ratio:.2f} times the {column} of '{small}', the limit is {most}")
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
    print("instructions, allocations and bytes are per piece; the change is that of the instructions", flush=True)


def rounded(figure):
    """The figure with two significant digits, such as "88 K"."""
    figure = float(f"{figure:.2g}")
    for unit, size in (("M", 1e6), ("K", 1e3)):
        if figure >= size:
            return f"{figure / size:g} {unit}"
    return f"{figure:.0f}"


def document(costs):
    """The text of README.md with the figures in its table."""
    rows = ["| What | Instructions | Allocations | Bytes kept |", "|---|---|---|---|"]
    for name, label in LABELS.items():
        each = {column: costs[name][column] / costs[name]["pieces"] for column in COLUMNS
                if column in costs[name]}
        kept = rounded(each["kept"]) if "kept" in each else ""
        rows.append(f"| {label} | {rounded(each['instructions'])} | {rounded(each['allocations'])}"
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
        print("costs.json was made with other packages, which can explain a difference:",
              *others, sep="\n  ")
    print(f"""
To find the cause: callgrind_annotate --inclusive=yes FILE, with the files in {folder}.
The head of each file names its section, after "Trigger". Correct an increase that is a mistake. For
an intended change or a decrease, commit the new figures together with the change that caused it:
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
            faults.append("README.md does not have the figures of costs.json")
    if faults:
        print("", *faults, sep="\n")
        what_to_do(folder, known["of"])
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
