"""etcd, API server, controller manager and scheduler on a separate machine, and kubectl."""

import json
import pathlib
import signal

import go_programs
import machine
import waiting

CONFIGURATION = """\
apiVersion: v1
kind: Config
clusters:
  - name: cluster
    cluster: {{server: "{server}", insecure-skip-tls-verify: true}}
users: [{{name: admin, user: {{token: token-of-the-test}}}}]
contexts: [{{name: cluster, context: {{cluster: cluster, user: admin}}}}]
current-context: cluster
"""

COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")


def minor(version: str) -> int:
    return int(version.split(".")[1])


class ControlPlane:
    """Runs the control plane. The token of `configuration` allows everything; each other account has
    only the rights of its roles."""

    def __init__(self, place: machine.Machine, version: str):
        self.machine = place
        self.version = version
        self.directory = place.state / "control"
        self.configuration = self.directory / "admin.conf"
        # Pods need the address, because no kube-proxy serves the one of the Service.
        self.server = f"https://{place.address}:6443"
        # The server makes it at its start. It is its own authority.
        self.certificate = self.directory / "apiserver.crt"
        self._started = []
        self._server = None
        self._server_arguments = []

    def up(self) -> None:
        program = go_programs.build(go_programs.kubernetes(self.version))
        self.directory.mkdir(exist_ok=True)
        for name in COMPONENTS:
            (self.directory / name).symlink_to(program)
        address = self.machine.address
        self.configuration.write_text(CONFIGURATION.format(server=self.server))
        (self.directory / "tokens.csv").write_text(
            'token-of-the-test,admin,admin,"system:masters"\n'
        )
        self.machine.run("openssl", "genrsa", "-out", self.directory / "accounts.key", "2048")
        # A version without this feature gate rejects its name.
        gates = ["ResourceHealthStatus=true"] if minor(self.version) in range(31, 36) else []
        self._start(
            "etcd",
            f"--data-dir={self.directory}/etcd-data",
            "--unsafe-no-fsync",
            "--log-level=warn",
        )
        self._server_arguments = [
            "--etcd-servers=http://127.0.0.1:2379",
            f"--cert-dir={self.directory}",
            f"--bind-address={address}",
            f"--advertise-address={address}",
            "--kubelet-preferred-address-types=InternalIP",
            "--authorization-mode=Node,RBAC",
            "--service-cluster-ip-range=10.97.0.0/24",
            f"--service-account-key-file={self.directory}/accounts.key",
            f"--service-account-signing-key-file={self.directory}/accounts.key",
            "--service-account-issuer=https://cluster.test",
            "--allow-privileged=true",
            f"--token-auth-file={self.directory}/tokens.csv",
            *(f"--feature-gates={gate}" for gate in gates),
        ]
        self.start_server()
        for name in ("kube-controller-manager", "kube-scheduler"):
            more = [
                f"--service-account-private-key-file={self.directory}/accounts.key",
                f"--root-ca-file={self.certificate}",
            ]
            self._start(
                name,
                f"--kubeconfig={self.configuration}",
                "--leader-elect=false",
                "--secure-port=0",
                *(more if name == "kube-controller-manager" else []),
            )
        # No Pod is accepted before its account exists.
        account = ["get", "serviceaccount", "default"]
        waiting.until(lambda: self.kubectl(*account), "the default account", 60, 0.5)

    def start_server(self) -> None:
        self._server = self._start("kube-apiserver", *self._server_arguments)
        waiting.until(lambda: self.kubectl("get", "--raw", "/readyz"), "the API server", 120, 0.5)

    def stop_server(self) -> None:
        """Kills the API server. Its data stays."""
        self._server.stop(signal.SIGKILL)

    def _start(self, name: str, *arguments: str) -> machine.Process:
        started = self.machine.start(name, self.directory / name, *arguments)
        self._started.append(started)
        return started

    def kubectl(self, *arguments, stdin: str = "", check: bool = True, seconds: float = 120) -> str:
        command = [self.directory / "kubectl", f"--kubeconfig={self.configuration}", *arguments]
        return self.machine.run(*command, stdin=stdin, check=check, seconds=seconds)

    def get(self, *arguments) -> dict:
        return json.loads(self.kubectl("get", *arguments, "--output=json"))

    def apply(self, *objects: dict) -> None:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.kubectl("apply", "--filename=-", stdin=text)

    def apply_file(self, file: pathlib.Path) -> None:
        self.kubectl("apply", "--filename=-", stdin=file.read_text())
