"""Results of the cases: a table for the terminal, and two documents."""

import dataclasses
import pathlib
import re
import textwrap
import xml.etree.ElementTree as xml

# The cases of Kubernetes' own node suite for device plugins, each with a description, and why some
# are not covered.
UPSTREAM = {
    1: ("a Pod gets one device; PodResources agrees", ""),
    2: ("a CDI device reaches the container", ""),
    3: ("the container restarts", ""),
    4: ("the kubelet restarts", ""),
    5: ("the kubelet and the container restart", ""),
    6: ("a Pod that has ended is not admitted again after a restart without the plugin", ""),
    7: ("the plugin restarts, then the container", ""),
    8: ("the kubelet and the plugin restart", ""),
    9: ("a Pod that is deleted while the kubelet is down", ""),
    10: ("a sidecar and a container each keep their device", ""),
    11: ("the node reboots, the plugin is late", ""),
    12: (
        "GetDevicePluginOptions fails",
        "tests the kubelet with a plugin that fails on purpose; Patchbay's answer is a constant",
    ),
    13: ("the only device fails and recovers", ""),
    14: ("the only device fails, the Pod keeps running", ""),
    15: ("allocatable is the number of healthy devices", ""),
    16: (
        "ListAndWatch fails at once",
        "like 12; `daemon_test` tests that Patchbay registers again after its stream is cut",
    ),
    17: ("ListAndWatch fails after a first list", "like 12"),
    18: ("the plugin is removed", ""),
    19: ("the health of a device in the Pod's status", ""),
    20: ("the same for a Pod whose image cannot be pulled", ""),
    21: ("a Pod is admitted before the plugin has registered again", ""),
    22: ("a rolling update of the plugin", ""),
    23: ("a second plugin starts slowly and takes over", ""),
    24: ("a second plugin starts and exits", ""),
}


@dataclasses.dataclass
class Case:
    """One case on one node."""

    module: str
    name: str
    passed: bool
    seconds: float
    upstream: list
    figures: list
    said: str = ""

    @property
    def title(self) -> str:
        return self.name.removeprefix("test_").replace("_", " ")

    @property
    def group(self) -> str:
        return self.module.removeprefix("test_")


@dataclasses.dataclass
class Run:
    """All cases on one node."""

    kubernetes: str
    containerd: str
    file: pathlib.Path

    @property
    def node(self) -> str:
        return f"{self.kubernetes.removeprefix('v')}/{self.containerd}"

    def take(self, file: pathlib.Path) -> None:
        """Reads results from a file. Results of repeated cases replace the earlier ones."""
        if not self.file.exists():
            file.rename(self.file)
            return
        whole = xml.parse(self.file)
        suite = whole.getroot().find("testsuite")
        known = {(case.get("classname"), case.get("name")): case for case in suite}
        for case in xml.parse(file).getroot().iter("testcase"):
            before = known.get((case.get("classname"), case.get("name")))
            if before is None:
                suite.append(case)
            else:
                suite[list(suite).index(before)] = case
        whole.write(self.file)
        file.unlink()

    def cases(self) -> list:
        if not self.file.exists():
            return []
        found = []
        for case in xml.parse(self.file).getroot().iter("testcase"):
            if case.get("classname") is None:  # pytest was interrupted.
                continue
            properties = [(p.get("name"), p.get("value")) for p in case.iter("property")]
            failed = [part for part in case if part.tag in ("failure", "error")]
            found.append(
                Case(
                    case.get("classname").split(".")[-1],
                    case.get("name"),
                    not failed,
                    float(case.get("time")),
                    sorted({int(value) for name, value in properties if name == "upstream"}),
                    [value for name, value in properties if name == "figure"],
                    failed[0].get("message", "") if failed else "",
                )
            )
        return found


def _rows(runs: list) -> dict:
    """All cases as (group, title) → node → case, in the order of the run."""
    rows = {}
    for run in runs:
        for case in run.cases():
            rows.setdefault((case.group, case.title), {})[run.node] = case
    return rows


def _word(case: Case | None) -> str:
    if case is None:
        return "-"
    return "ok" if case.passed else "FAILED"


def table(runs: list) -> str:
    """The table for the terminal, with a row for each case and a column for each node."""
    rows = _rows(runs)
    width = max((len(title) for _, title in rows), default=0) + 4
    lines = [" " * width + "".join(f"{run.node:>14}" for run in runs)]
    last = None
    for (group, title), cases in rows.items():
        if group != last:
            lines.append(group)
            last = group
        words = "".join(f"{_word(cases.get(run.node)):>14}" for run in runs)
        lines.append(f"  {title:<{width - 2}}{words}")
    for run in runs:
        cases = run.cases()
        passed = sum(case.passed for case in cases)
        seconds = sum(case.seconds for case in cases)
        lines.append(f"{run.node}: {passed} of {len(cases)} passed in {seconds:.0f} s")
        lines += [f"  {case.title}: {figure}" for case in cases for figure in case.figures]
    return "\n".join(lines)


def summary(text: str, runs: list) -> str:
    """The text of docs/dev/conformance.md with a row for each node."""
    lines = ["| Kubernetes/containerd | All cases | Cases of Kubernetes' own suite |", "|---|---|---|"]
    for run in runs:
        passed = [case for case in run.cases() if case.passed]
        failed = [case for case in run.cases() if not case.passed]
        broken = {number for case in failed for number in case.upstream}
        upstream = {number for case in passed for number in case.upstream} - broken
        lines.append(
            f"| {run.node} | {len(passed)} of {len(passed) + len(failed)}"
            f" | {len(upstream)} of {len(upstream | broken)} |"
        )
    table = "\n".join(lines)
    return re.sub(r"(<!-- results -->\n).*?(?=\n\n)", lambda found: found[1] + table, text,
                  count=1, flags=re.S)


def conformance(runs: list, machine: str) -> str:
    """The text of conformance.md in this folder."""
    rows = _rows(runs)
    nodes = [run.node for run in runs]
    head = "| | " + " | ".join(nodes) + " |\n|---|" + "---|" * len(nodes)
    lines = [
        "# Results of scripts/e2e",
        "",
        "`scripts/e2e --write-docs` writes this page. Each column is a node with that kubelet, control",
        "plane and container runtime, named KUBERNETES/CONTAINERD.",
        "",
        f"The machine: {machine}.",
        "",
        "`-` marks cases that do not apply. They need a newer or an older kubelet, or for an upgrade an",
        "older one that was also tested.",
        "",
        "## Cases of Kubernetes' own suite",
        "",
        "Kubernetes' suite for nodes, `e2e_node`, has 24 cases for device plugins in 1.30 to 1.37.",
        "",
        head.replace("| |", "| Case |", 1),
    ]
    for number, (title, why) in UPSTREAM.items():
        if why:
            lines.append(f"| {number}. {title} | " + " | ".join(["omitted"] * len(nodes)) + " |")
            continue
        words = []
        for node in nodes:
            cases = [row[node] for row in rows.values() if node in row]
            mine = [case for case in cases if number in case.upstream]
            words.append("-" if not mine else "ok" if all(c.passed for c in mine) else "**no**")
        lines.append(f"| {number}. {title} | " + " | ".join(words) + " |")
    lines += ["", "Omitted:", ""]
    lines += [f"- {number}: {why}." for number, (_, why) in UPSTREAM.items() if why]
    lines += ["", "## All cases", "", head.replace("| |", "| Case |", 1)]
    for (group, title), cases in rows.items():
        words = " | ".join(_word(cases.get(node)) for node in nodes)
        lines.append(f"| {group}: {title} | {words} |")
    lines += ["", "## Figures", "", "From one run per node. The two cores had other work, too.", ""]
    for run in runs:
        lines.append(f"- {run.node}")
        for case in run.cases():
            for figure in case.figures:
                line = f"  - {case.title}: {figure}"
                lines += textwrap.wrap(line, 100, subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"
