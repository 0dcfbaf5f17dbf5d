"""Checks the include rules: stages include only earlier stages, and heavy libraries stay in their
files. Also checks that calls which may hang, on file systems, are only in few files. Usage:
include_rules.py ROOT"""

import pathlib
import re
import sys

# Stage -> the stages it may include, besides itself. "proto" is the generated headers.
ALLOWED = {
    "base": set(),
    "config": {"base"},
    "rules": {"base", "config"},
    "loop": {"base"},
    "host": {"base", "loop"},
    "inventory": {"base", "rules"},
    "observe": {"base", "config", "rules", "inventory"},
    "health": {"base", "rules", "loop", "host", "inventory", "observe"},
    "specs": {"base", "rules", "loop", "host", "inventory"},
    "serve": {"base", "loop", "host", "inventory", "observe", "proto"},
    "pods": {"base", "loop", "observe", "proto"},
    "http": {"base", "observe"},
    "standin": {"base", "proto"},
    "daemon": {
        "base", "config", "rules", "loop", "host", "inventory", "observe", "health", "specs",
        "serve", "pods",
    },
    "cli": {
        "base", "config", "rules", "loop", "host", "inventory", "observe", "health", "specs",
        "serve", "pods", "http", "standin", "daemon",
    },
}

# Library header -> the files that may include it (a prefix ending in / is a folder).
ONLY_IN = {
    r"yaml-cpp/": ["src/config/"],
    r"re2/": ["src/rules/"],
    r"libudev\.h": ["src/host/"],
    r"uv\.h": ["src/loop/"],
    r"sys/inotify\.h": ["src/loop/", "src/host/", "src/serve/kubelet_directory.cpp"],
    r"event2/": ["src/http/"],
    r"grpc(pp)?/": ["src/serve/", "src/standin/", "src/pods/pod_resources.cpp"],
    r"absl/": ["src/serve/grpc_memory.cpp", "src/serve/grpc_event_engine.cpp"],
    r"spdlog/": ["src/base/log.cpp", "src/base/log_line.cpp", "src/base/spdlog_static.cpp"],
    r"(test|fake|gtest|gmock)/": [],
}

# Calls on a file system may hang. All files except these use host::HostRoot, which asserts that the
# thread is neither the loop's nor gRPC's (loop/may_block.h).
FILE_CALL = re.compile(
    r"(?<![\w>.])(?:::(?:l|f)?stat(?:fs)?|::open(?:at|dir)?|::f?access(?:at)?|::readlink(?:at)?"
    r"|::realpath|statx|std::filesystem::\w+|std::[io]?fstream)\s*[({ ]"
)
FILE_CALLS_IN = {
    "src/daemon/configuration.cpp": "configurations: before the loop runs or on a work thread",
    "src/host/host_root.cpp": "itself",
    "src/host/nonblocking_stat.cpp": "memory of the kernel, or after MayBlock::check()",
    "src/host/path_chain.cpp": "called by a work thread, or for a DirectoryWatch",
    "src/host/sysfs_files.cpp": "attributes: on a work thread",
    "src/host/mounts.cpp": "/proc/self/mountinfo, which is in the kernel's memory",
    "src/host/device_list.cpp": "/sys: on a work thread",
    "src/host/device_ancestry.cpp": "/sys: on a work thread, or where NonblockingSysfs allows it",
    "src/host/nonblocking_sysfs.cpp": "/sys: after MayBlock::check()",
    "src/host/survey.cpp": "/sys: for a person",
    "src/host/fact_reader.cpp": "/run/udev, which is in memory",
    "src/host/mount_watch.cpp": "/proc of this process, which is in memory",
    "src/host/udev_database.cpp": "/run/udev, which is in memory",
    "src/host/udevd_state.cpp": "/run/udev, which is in memory",
    "src/http/listening.cpp": "of its own socket: on the thread of HTTP, for which nothing waits",
    "src/observe/metrics.cpp": "/proc of this process, which is in memory",
    "src/host/resource_exhaustion.h": "/, which is in memory",
    "src/health/blocking_step.cpp": "of what is open: on a work thread",
    "src/loop/program_start.cpp": "/dev/null, which is in memory",
    "src/loop/inotify_exhaustion.cpp": "/proc/sys, which is in memory",
    "src/loop/thread_syscall.cpp": "/proc of this process: on the watchdog's thread",
    "src/serve/candidate_directory.cpp": "in the kubelet's directory, without which nothing works",
    "src/serve/kubelet_directory.cpp": "the kubelet's directory, without which nothing works",
    "src/serve/kubelet_availability.cpp": "the kubelet's directory, without which nothing works",
    "src/specs/": "files of our own: on work threads",
}
# Folders without a loop, or checked before the loop runs.
WITHOUT_FILE_RULE = ("config", "cli", "standin")

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def problems_of(path, name, text):
    stage = name.split("/")[1] if name.count("/") > 1 else None
    for included in INCLUDE.findall(text):
        target = included.split("/")[0]
        if stage and target in (*ALLOWED, "proto") and "/" in included:
            if target != stage and target not in ALLOWED[stage]:
                yield f"{name}: {stage} may not include {included}"
        for library, files in ONLY_IN.items():
            if re.match(library, included):
                if not any(name == f or (f.endswith("/") and name.startswith(f)) for f in files):
                    yield f"{name}: {included} belongs only in {', '.join(files) or 'no source'}"


def file_calls_of(name, text):
    if name.split("/")[1] in WITHOUT_FILE_RULE or any(name.startswith(f) for f in FILE_CALLS_IN):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if FILE_CALL.search(line.split("//")[0]):
            yield f"{name}:{number}: ask host::HostRoot, or say in FILE_CALLS_IN why not"


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    count = 0
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cpp", ".h"):
            continue
        count += 1
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        problems += problems_of(path, name, text)
        problems += file_calls_of(name, text)
    print("\n".join(problems) or f"{count} files include what they may")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
