#!/usr/bin/env python3
"""Tests Patchbay on real kubelets; see scripts/e2e."""

import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import go_programs
import report

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = ROOT / "build" / "e2e"
SUMMARY = ROOT / "docs" / "dev" / "conformance.md"
DOCUMENT = HERE / "conformance.md"  # All cases.

# The oldest supported version, one in the middle, and the newest.
KUBERNETES = ["v1.30.14", "v1.34.4", "v1.37.2"]
NODES = [(version, "2") for version in KUBERNETES]
SKEW = 3  # allowed minor versions of a kubelet behind the API server

EXAMPLES = """
examples:
  scripts/e2e                              all nodes; builds what is missing, once
  scripts/e2e --kubernetes 1.34            one version
  scripts/e2e --kubernetes 1.34 --only reboot
  scripts/e2e --kubernetes 1.37 --only test_a_pod --keep
  scripts/e2e --kubernetes 1.38.0-beta.0 --binary build/release/src/patchbay
  scripts/e2e --list                       the versions, and which are built

exit status: 0 all passed, 1 a case failed, 2 it could not be tried
"""


def minor(version: str) -> int:
    return int(version.split(".")[1])


def whole_version(text: str) -> str:
    """Completes a version: v1.34.4 for 1.34, 1.34.4 or v1.34.4. A version that is not in KUBERNETES
    must be complete."""
    text = "v" + text.removeprefix("v")
    for known in KUBERNETES:
        if known == text or known.startswith(text + "."):
            return known
    if not re.fullmatch(r"v\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?", text):
        known = ", ".join(KUBERNETES)
        raise argparse.ArgumentTypeError(
            f"{text} is none of {known}: write another version in full, such as 1.35.1 or 1.38.0-beta.0"
        )
    return text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/e2e",
        description="Brings up a Kubernetes node in namespaces of its own, for each version, tries"
        " Patchbay on it, and takes it down. Needs root, and some 4 GiB of memory.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kubernetes", nargs="+", type=whole_version, metavar="VERSION")
    parser.add_argument("--containerd", choices=["2", "1.6"], help="with --kubernetes; default: 2")
    parser.add_argument("--binary", type=pathlib.Path, metavar="FILE",
                        help="in its build directory; default: build the release")
    parser.add_argument("--only", metavar="WORDS", help="cases named so; with `and`, `or`, `not`")
    parser.add_argument("--built", action="store_true", help="only versions that are built")
    parser.add_argument("--keep", action="store_true", help="wait before it is taken down")
    parser.add_argument("--list", action="store_true", help="the versions, and which are built")
    parser.add_argument("--write-docs", action="store_true", help="write the results into docs/dev/conformance.md and test/cluster/conformance.md")
    parser.add_argument("--report", action="store_true", help="of what ran before; runs nothing")
    return parser.parse_args()


def needs() -> list:
    """What this machine lacks for the cases, one text each."""
    missing = []
    if os.geteuid() != 0:
        missing.append("root: it makes namespaces and devices")
    path = "/usr/sbin:/usr/bin:/sbin:/bin"
    for program in ("containerd", "ctr", "runc", "ip", "losetup", "openssl", "setpriv", "udevadm"):
        if not shutil.which(program, path=path):
            missing.append(f"{program}: scripts/setup --e2e installs it")
    if not pathlib.Path("/dev/loop-control").exists():
        missing.append("/dev/loop-control: loop devices are the disks that are plugged")
    return missing


def older_kubelet(version: str, nodes: list) -> str:
    """The kubelet that the upgrade case replaces, if it is built or tested in this run."""
    older = [each for each in KUBERNETES if 0 < minor(version) - minor(each) <= SKEW]
    if not older:
        return ""
    tested = older[-1] in [each for each, _ in nodes]
    return older[-1] if tested or go_programs.kubernetes(older[-1]).is_built() else ""


def run_cases(node: tuple, options: argparse.Namespace, image: pathlib.Path, older: str) -> tuple:
    """Runs all cases on one node. Returns the run, and whether all passed."""
    version, containerd = node
    go_programs.build(go_programs.kubernetes(version))
    RESULTS.mkdir(parents=True, exist_ok=True)
    run = report.Run(version, containerd, result(node))
    now = RESULTS / "now.xml"
    now.unlink(missing_ok=True)
    if not options.only:
        run.file.unlink(missing_ok=True)
    print(f"\n=== Kubernetes {version}, containerd {containerd}", flush=True)
    command = [
        "/usr/bin/python3", "-B", "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", HERE, HERE,
        "--verbose", "--color=auto", "--tb=short", f"--junitxml={now}",
        "--override-ini=junit_family=xunit1", f"--kubernetes={version}",
        f"--containerd={containerd}", f"--binary={options.binary}",
        f"--image={image}",
    ]  # fmt: skip
    if older:
        go_programs.build(go_programs.kubernetes(older))
        command.append(f"--older={older}")
    if options.only:
        command += ["-k", options.only]
    if options.keep:
        command += ["--keep", "--capture=no"]
    passed = subprocess.run(command, cwd=HERE, check=False).returncode == 0
    run.take(now)
    return run, passed


def result(node: tuple) -> pathlib.Path:
    version, containerd = node
    return RESULTS / f"{version}-containerd-{containerd}.xml"


def told(runs: list, options: argparse.Namespace) -> int:
    """Prints the table, and writes the document on request."""
    print("\n" + report.table(runs))
    print(f"JUnit: {RESULTS.relative_to(ROOT)}/*.xml")
    if options.write_docs:
        groups = "v2" if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists() else "v1"
        machine = f"Linux {platform.release().split('-')[0]}, control groups {groups}"
        DOCUMENT.write_text(report.conformance(runs, machine))
        SUMMARY.write_text(report.summary(SUMMARY.read_text(), runs))
    return 0 if all(case.passed for run in runs for case in run.cases()) else 1


def main() -> int:
    options = arguments()
    if options.list:
        for version in KUBERNETES:
            built = "built" if go_programs.kubernetes(version).is_built() else ""
            print(f"{version:10} {built}".rstrip())
        return 0
    if options.report:
        ran = [report.Run(*node, result(node)) for node in NODES if result(node).exists()]
        return told(ran, options)
    nodes = NODES
    if options.kubernetes:
        nodes = [(version, options.containerd or "2") for version in options.kubernetes]
    if options.built:
        nodes = [node for node in nodes if go_programs.kubernetes(node[0]).is_built()]
        if not nodes:
            print("no version of Kubernetes is built: scripts/e2e builds them")
            return 0
    missing = needs()
    if missing:
        print("scripts/e2e: this machine lacks\n  " + "\n  ".join(missing), file=sys.stderr)
        return 2
    image_command = [ROOT / "scripts/image"]
    if options.binary:
        image_command += ["--binary", options.binary]
    subprocess.run(image_command, check=True)
    options.binary = (options.binary or ROOT / "build/release/src/patchbay").resolve()
    made = (ROOT / "build/image").glob("patchbay-*-amd64.oci.tar")
    image = max((file for file in made if "debug" not in file.name), key=os.path.getmtime)
    runs, passed = [], True
    for node in nodes:
        try:
            run, well = run_cases(node, options, image, older_kubelet(node[0], nodes))
        except go_programs.BuildError as error:
            print(f"scripts/e2e: {error}", file=sys.stderr)
            return 2
        runs.append(run)
        passed = passed and well
    return max(told(runs, options), 0 if passed else 1)


if __name__ == "__main__":
    sys.exit(main())
