"""Checks who includes whom: stages look only at earlier stages, and heavy libraries stay in their
files. Usage: include_rules.py ROOT"""

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
    "health": {"base", "rules", "loop", "host", "inventory"},
    "specs": {"base", "rules", "host", "inventory"},
    "serve": {"base", "loop", "host", "inventory", "proto"},
    "standin": {"base", "proto"},
    "daemon": {
        "base", "config", "rules", "loop", "host", "inventory", "health", "specs", "serve",
    },
    "cli": {
        "base", "config", "rules", "loop", "host", "inventory", "health", "specs", "serve",
        "standin", "daemon",
    },
}

# Library header -> the files that may include it (a prefix ending in / is a folder).
ONLY_IN = {
    r"yaml-cpp/": ["src/config/"],
    r"re2/": ["src/rules/"],
    r"libudev\.h": ["src/host/"],
    r"uv\.h": ["src/loop/"],
    r"histedit\.h": ["src/cli/line_editor.cpp"],
    r"CLI/": ["src/cli/option_parser.cpp"],
    r"sys/inotify\.h": ["src/loop/", "src/host/", "src/serve/kubelet_directory.cpp"],
    r"grpc(pp)?/": ["src/serve/", "src/standin/"],
    r"absl/": ["src/serve/grpc_memory.cpp"],
    r"spdlog/": ["src/base/log.cpp", "src/base/spdlog_static.cpp"],
    r"(test|fake|gtest|gmock)/": [],
}

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


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    count = 0
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cpp", ".h"):
            continue
        count += 1
        name = path.relative_to(root).as_posix()
        problems += problems_of(path, name, path.read_text())
    print("\n".join(problems) or f"{count} files include what they may")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
