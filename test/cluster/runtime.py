"""containerd on a machine: 2.x built from its module, or Debian's 1.6."""

import pathlib
import shutil

import go_programs
import machine
import waiting

VERSION_2 = """\
version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "patchbay.test/pause:1"
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  cdi_spec_dirs = ["/var/run/cdi"]
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "/etc/cni/net.d"
"""

VERSION_1 = """\
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "patchbay.test/pause:1"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
"""

NETWORK = """\
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "pods0", "isGateway": true, "ipam": {"type": "host-local",
    "ranges": [[{"subnet": "10.98.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
"""


class Runtime:
    """Runs containerd for the kubelet. `version` is "2" or "1.6"."""

    def __init__(self, place: machine.Machine, version: str):
        self.machine = place
        self.version = version
        self._process = None

    def up(self) -> None:
        directory = self.machine.state / "runtime"
        directory.mkdir(exist_ok=True)
        configuration = directory / "config.toml"
        network = directory / "10-pods.conflist"
        network.write_text(NETWORK)
        self.machine.run("install", "-D", network, "/etc/cni/net.d/10-pods.conflist")
        path = "/usr/sbin:/usr/bin:/sbin:/bin"
        if self.version == "2":
            configuration.write_text(VERSION_2)
            for program in (go_programs.containerd(), go_programs.containerd_shim()):
                here = directory / program.name
                if not here.exists():
                    here.symlink_to(go_programs.build(program))
            path = f"{directory}:{path}"
            command = directory / "containerd"
        else:
            configuration.write_text(VERSION_1)
            command = pathlib.Path(shutil.which("containerd", path=path))
        self._command = [command, "-c", configuration]
        self._environment = {"PATH": path}
        self._start()

    def _start(self) -> None:
        log = self.machine.logs / "containerd.log"
        begun = len(log.read_text(errors="replace")) if log.exists() else 0
        self._process = self.machine.start(
            "containerd", *self._command, environment=self._environment
        )
        # Waits for containerd's CRI service, because the kubelet exits if it is not ready.
        begin = "Start streaming server"
        waiting.until(lambda: begin in log.read_text(errors="replace")[begun:], "containerd", 30)

    def restart(self) -> None:
        self._process.stop()
        self._start()

    def told_version(self) -> str:
        lines = self.machine.run("ctr", "version").split("Server:")[1].splitlines()
        return next(line.split()[1] for line in lines if "Version" in line).removeprefix("v")

    def running(self, pod: str) -> list:
        """The running containers of a Pod, even if the kubelet does not know them."""
        label = f'labels."io.kubernetes.pod.name"=={pod}'
        control = ["ctr", "--namespace=k8s.io"]
        ids = self.machine.run(*control, "containers", "list", "-q", label).split()
        tasks = [line.split() for line in self.machine.run(*control, "tasks", "list").splitlines()]
        return [task[0] for task in tasks if task[0] in ids and task[2] == "RUNNING"]

    def load(self, *archives: pathlib.Path) -> None:
        for archive in archives:
            self.machine.run("ctr", "--namespace=k8s.io", "images", "import", archive)
