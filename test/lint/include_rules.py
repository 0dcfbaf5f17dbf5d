"""Checks the include rules: folders include only earlier folders, and heavy libraries stay in their
files. Also checks that only a few files call file systems, which may hang. Usage:
include_rules.py ROOT"""

import pathlib
import re
import sys

# Folder -> the folders that it may include besides itself. The folders are in the order of the
# build; a folder may include earlier ones only. "proto" has the generated headers.
ALLOWED = {
    "base": set(),
    "model": {"base"},
    "config": {"base", "model"},
    "rules/text": {"base", "model", "config"},
    "rules/match": {"base", "model", "config", "rules/text"},
    "rules/plan": {"base", "model", "config", "rules/text", "rules/match"},
    "rules/needs": {"base", "config", "rules/text", "rules/plan"},
    "rules/lint": {"base", "config", "rules/text", "rules/match", "rules/plan"},
    "rules": {"base", "model", "config", "rules/text", "rules/plan", "rules/lint"},
    "loop": {"base"},
    "paths": {"base", "model", "loop"},
    "host/facts": {"base", "model", "loop", "paths"},
    "host/udev": {"base", "model", "loop", "paths", "host/facts"},
    "host": {"base", "model", "loop", "paths", "host/facts", "host/udev"},
    "machine": {"base", "model", "loop", "paths", "host/facts"},
    "inventory": {"base", "model", "rules/text", "rules/match", "rules/plan"},
    "dra": {
        "base", "model", "config", "rules/text", "rules/plan", "inventory",
    },
    "suggest": {
        "base", "model", "config", "rules/text", "rules/plan", "rules", "loop", "paths", "machine",
        "host/facts", "host", "inventory",
    },
    "status": {"base", "model", "rules/plan", "inventory"},
    "health": {
        "base", "model", "rules/plan", "loop", "paths", "host/facts", "host", "inventory", "status",
    },
    "steps": {"base", "model", "loop", "paths"},
    "specs": {"base", "loop", "paths", "inventory"},
    "pods": {"base", "loop", "status", "proto"},
    "rpc": {"base", "loop"},
    "plugin": {"base", "loop", "paths", "inventory", "status", "rpc", "proto"},
    "driver": {
        "base", "model", "rules/plan", "loop", "paths", "inventory", "dra", "status", "steps",
        "specs", "pods", "rpc", "proto",
    },
    "daemon": {
        "base", "config", "rules/text", "rules/plan", "rules/needs", "rules", "loop", "paths",
        "host/facts", "host", "inventory", "status", "health", "steps", "specs", "pods", "plugin",
        "rpc", "driver",
    },
    "render": {"base", "config", "rules/match", "rules/plan", "inventory", "dra", "status"},
    "http": {"base", "loop", "status", "render"},
    "standin": {"base", "proto"},
    "kube": {"base"},
    "cli/terminal": {"base", "loop"},
    "cli/options": {"base"},
    "cli/commands": {
        "base", "model", "config", "rules/match", "rules/plan", "rules/needs", "rules", "loop",
        "paths", "machine", "host/facts", "host", "inventory", "dra", "suggest", "status", "steps",
        "rpc", "plugin", "daemon", "render", "http", "standin", "cli/terminal", "cli/options",
    },
    "cli": {
        "base", "inventory", "http", "cli/terminal", "cli/options", "cli/commands",
    },
}

# Library header -> the files that may include it (a prefix ending in / is a folder).
ONLY_IN = {
    r"yaml-cpp/": ["src/config/"],
    r"re2/": ["src/rules/", "src/cli/options/option_values.cpp"],
    r"libudev\.h": ["src/host/"],
    r"uv\.h": ["src/loop/"],
    r"sys/inotify\.h": [
        "src/loop/", "src/paths/", "src/host/", "src/plugin/kubelet_directory.cpp",
    ],
    r"grpc(pp)?/": [
        "src/rpc/", "src/plugin/", "src/driver/", "src/standin/", "src/pods/pod_resources.cpp",
    ],
    r"httplib\.h": ["src/kube/api_client.cpp"],
    r"absl/": ["src/rpc/grpc_setup.cpp", "src/rpc/grpc_event_engine.cpp"],
    r"spdlog/": ["src/base/log.cpp", "src/base/log_line.cpp", "src/base/spdlog_static.cpp"],
    r"(test|fake|gtest|gmock)/": [],
}

# Calls on a file system, which may hang. Other files use paths::HostRoot instead. It asserts that
# the thread is neither the loop's nor gRPC's (loop/may_block.h).
FILE_CALL = re.compile(
    r"(?<![\w>.])(?:::(?:l|f)?stat(?:fs)?|::open(?:at|dir)?|::f?access(?:at)?|::readlink(?:at)?"
    r"|::realpath|statx|std::filesystem::\w+|std::[io]?fstream)\s*[({ ]"
)
FILE_CALLS_IN = {
    "src/daemon/dra_host.cpp": "the boot id in /proc, which is in the kernel's memory",
    "src/daemon/configuration.cpp": "configurations: before the loop runs or on a work thread",
    "src/paths/host_root.cpp": "itself",
    "src/paths/nonblocking_stat.cpp": "memory of the kernel, or after MayBlock::check()",
    "src/paths/path_chain.cpp": "called by a work thread, or for a DirectoryWatch",
    "src/paths/mounts.cpp": "/proc/self/mountinfo, which is in the kernel's memory",
    "src/host/facts/nonblocking_sysfs.cpp": "/sys: after MayBlock::check()",
    "src/host/udev/udev_database.cpp": "/run/udev, which is in memory",
    "src/host/udev/udevd_state.cpp": "/run/udev, which is in memory",
    "src/http/listening.cpp": "of its own socket: on the thread of HTTP, for which nothing waits",
    "src/render/metrics.cpp": "/proc of this process, which is in memory",
    "src/paths/resource_exhaustion.h": "/, which is in memory",
    "src/steps/step_runner.cpp": "of what is open: on a work thread",
    "src/loop/program_start.cpp": "/dev/null, which is in memory",
    "src/loop/inotify.cpp": "/proc/sys, which is in memory",
    "src/plugin/candidate_directory.cpp": "in the kubelet's directory, without which nothing works",
    "src/plugin/kubelet_directory.cpp": "the kubelet's directory, without which nothing works",
    "src/plugin/kubelet_availability.cpp": "the kubelet's directory, without which nothing works",
    "src/specs/": "files of our own: on work threads",
    "src/driver/claim_store.cpp": "files of our own: on work threads",
}
# Folders without a loop, or checked before the loop runs.
WITHOUT_FILE_RULE = ("config", "cli", "standin", "kube")

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def folder_of(path):
    """src/rules/text/glob.h or rules/text/glob.h -> rules/text"""
    return path.removeprefix("src/").rpartition("/")[0]


def problems_of(path, name, text):
    folder = folder_of(name)
    if folder and folder not in ALLOWED:
        yield f"{name}: {folder} is not in ALLOWED"
        return
    for included in INCLUDE.findall(text):
        target = folder_of(included)
        if target == "proto" or target in ALLOWED:
            if folder and target != folder and target not in ALLOWED[folder]:
                yield f"{name}: {folder} may not include {included}"
        for library, files in ONLY_IN.items():
            if re.match(library, included):
                if not any(name == f or (f.endswith("/") and name.startswith(f)) for f in files):
                    yield f"{name}: {included} belongs only in {', '.join(files) or 'no source'}"


def problems_of_table(used):
    """Rules that allow a later folder, and rules that no file needs."""
    folders = list(ALLOWED)
    for folder, targets in ALLOWED.items():
        for target in sorted(targets - {"proto"}):
            if folders.index(target) > folders.index(folder):
                yield f"ALLOWED: {folder} is built before {target}"
        for target in sorted(targets - used.get(folder, set())):
            yield f"ALLOWED: no file of {folder} includes {target}"


def file_calls_of(name, text):
    if name.split("/")[1] in WITHOUT_FILE_RULE or any(name.startswith(f) for f in FILE_CALLS_IN):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if FILE_CALL.search(line.split("//")[0]):
            yield f"{name}:{number}: ask paths::HostRoot, or say in FILE_CALLS_IN why not"


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    used = {}
    count = 0
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cpp", ".h"):
            continue
        count += 1
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        problems += problems_of(path, name, text)
        used.setdefault(folder_of(name), set()).update(map(folder_of, INCLUDE.findall(text)))
        problems += file_calls_of(name, text)
    problems += problems_of_table(used)
    print("\n".join(problems) or f"{count} files include what they may")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
