"""A simulated machine: namespaces of mounts, processes and the network on this machine.

The programs of a machine end with it, and their changes are not visible outside. The exceptions are
its control groups, which it removes, and the devices of the common kernel.
"""

import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent


class CommandFailed(RuntimeError):
    """A command that failed."""


class Process:
    """A program that keeps running in a machine, with its output in a file."""

    def __init__(self, machine: "Machine", name: str, command: list, environment: dict):
        self.machine = machine
        self.name = name
        self.log = machine.logs / f"{name}.log"
        number = machine.state / f"{name}.pid"
        number.unlink(missing_ok=True)
        # The shell writes the program's process id, because the command that enters the process
        # namespace has another one.
        script = f"echo $$ >{shlex.quote(str(number))}; exec \"$@\""
        with open(self.log, "ab") as log:
            log.write(f"=== {' '.join(map(str, command))}\n".encode())
            log.flush()
            self._entered = subprocess.Popen(
                machine.entering("sh", "-c", script, "sh", *command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        deadline = time.monotonic() + 10
        while not (number.exists() and number.read_text().strip()):
            if self._entered.poll() is not None or time.monotonic() > deadline:
                raise CommandFailed(f"{name} did not start: {self.tail()}")
            time.sleep(0.005)
        self.number = int(number.read_text())

    def tail(self, lines: int = 20) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def is_running(self) -> bool:
        return self._entered.poll() is None

    def send(self, number: int) -> None:
        self.machine.run("kill", f"-{int(number)}", str(self.number))

    def stop(self, number: int = signal.SIGTERM, seconds: float = 30) -> float:
        """Ends the program and returns the seconds until its end."""
        begun = time.monotonic()
        if self.is_running():
            self.send(number)
            try:
                self._entered.wait(seconds)
            except subprocess.TimeoutExpired:
                self.send(signal.SIGKILL)
                self._entered.wait(10)
                raise CommandFailed(f"{self.name} did not end within {seconds:g} s") from None
        return time.monotonic() - begun


class Stream:
    """A program in a machine whose output is read line by line as it arrives."""

    def __init__(self, machine: "Machine", command: list):
        self._machine = machine
        self._entered = subprocess.Popen(
            machine.entering("sh", "-c", 'echo $$; exec "$@"', "sh", *command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self.lines = self._entered.stdout
        self._number = int(self.lines.readline())

    def kill(self) -> None:
        """Kills the program, which also ends its lines."""
        self._machine.run("kill", "-KILL", self._number, check=False)
        self._entered.wait(10)


class Machine:
    """Namespaces with a first process. `directory` must be short, because sockets are below it."""

    def __init__(self, name: str, directory: pathlib.Path, address: str):
        self.name = name
        self.address = address
        self.state = directory / name
        self.logs = directory / "log"
        self.cgroup = f"patchbay-{directory.name}-{name}"
        self._first = None
        self._pid = 0
        self.state.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(exist_ok=True)

    def up(self) -> None:
        """Boots the machine. Returns when the first process is ready."""
        self._first = subprocess.Popen(
            # The machine also ends if this process ends.
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--net", "--pid", "--uts",
             "--fork", "--kill-child", "--mount-proc", HERE / "node_init.sh", self.state],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=open(self.logs / f"{self.name}-init.log", "ab"),
            start_new_session=True,
        )  # fmt: skip
        if self._first.stdout.readline() != b"up\n":
            said = (self.logs / f"{self.name}-init.log").read_text()
            raise CommandFailed(f"the machine {self.name} did not come up: {said}")
        children = pathlib.Path(f"/proc/{self._first.pid}/task/{self._first.pid}/children")
        self._pid = int(children.read_text().split()[0])
        self.run("hostname", self.name)
        self._make_cgroups()

    def down(self) -> None:
        """Simulates a power failure: kills all processes of the machine at once."""
        if self._first is None:
            return
        try:
            os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._first.wait(30)
        self._first.stdout.close()
        self._first = None
        self._remove_cgroups()

    def remove(self) -> None:
        self.down()
        shutil.rmtree(self.state, ignore_errors=True)

    def namespace(self, kind: str) -> str:
        return f"/proc/{self._pid}/ns/{kind}"

    def entering(self, *command) -> list:
        """The command line that runs `command` in the machine."""
        namespaces = ["--mount", "--net", "--pid", "--uts"]
        return ["nsenter", f"--target={self._pid}", *namespaces, "--wd=/", *map(str, command)]

    def run(self, *command, stdin: str = "", check: bool = True, seconds: float = 120) -> str:
        """Runs a command to its end and returns its output."""
        done = subprocess.run(
            self.entering(*command),
            input=stdin,
            capture_output=True,
            timeout=seconds,
            check=False,
            text=True,
            errors="replace",
        )
        if check and done.returncode != 0:
            said = (done.stderr or done.stdout)[-2000:]
            raise CommandFailed(f"{self.name}: {shlex.join(map(str, command))}: {said}")
        return done.stdout

    def start(self, name: str, *command, environment: dict | None = None) -> Process:
        return Process(self, name, list(command), environment or {})

    def stream(self, *command) -> "Stream":
        """A command with output that is read line by line."""
        return Stream(self, list(command))

    # The machine has its own control group, so that all processes of the kubelet can be found.
    def _hierarchies(self) -> list:
        root = pathlib.Path("/sys/fs/cgroup")
        if (root / "cgroup.controllers").exists():
            return [root]
        return [part for part in root.iterdir() if part.is_dir() and not part.is_symlink()]

    def _make_cgroups(self) -> None:
        for hierarchy in self._hierarchies():
            group = hierarchy / self.cgroup
            group.mkdir(exist_ok=True)
            for name in ("cpuset.cpus", "cpuset.mems"):
                if (group / name).exists() and hierarchy.name == "cpuset":
                    (group / name).write_text((hierarchy / name).read_text())
            controllers = group / "cgroup.controllers"
            if controllers.exists() and controllers.read_text().split():
                enabled = " ".join("+" + name for name in controllers.read_text().split())
                (group / "cgroup.subtree_control").write_text(enabled)

    def _remove_cgroups(self) -> None:
        for hierarchy in self._hierarchies():
            group = hierarchy / self.cgroup
            # Retries, because killed processes leave their groups only when they are reaped.
            for _ in range(50):
                for directory, _, _ in os.walk(group, topdown=False):
                    try:
                        os.rmdir(directory)
                    except OSError:
                        pass
                if not group.exists():
                    break
                time.sleep(0.1)


def connect(one: Machine, other: Machine) -> None:
    """Connects two machines by a cable, with addresses of one /24."""
    subprocess.run(
        ["ip", "link", "add", "cable0", "netns", str(one._pid), "type", "veth",
         "peer", "name", "cable0", "netns", str(other._pid)],
        check=True,
    )  # fmt: skip
    for machine in (one, other):
        machine.run("ip", "address", "add", f"{machine.address}/24", "dev", "cable0")
        machine.run("ip", "link", "set", "cable0", "up")
