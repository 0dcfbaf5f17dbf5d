"""Fixtures: the cluster of all cases, and its initial state for each case."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cluster as clusters  # noqa: E402
import dra  # noqa: E402

LAB = (pathlib.Path(__file__).resolve().parent / "lab.yaml").read_text()


def pytest_addoption(parser):
    parser.addoption("--kubernetes", default="v1.34.4")
    parser.addoption("--older", default="", help="a kubelet that is upgraded to --kubernetes")
    parser.addoption("--containerd", default="2")
    parser.addoption("--binary", help="of the release")
    parser.addoption("--image", help="a file that scripts/image made")
    parser.addoption("--keep", action="store_true")


def pytest_configure(config):
    config.addinivalue_line("markers", "upstream(*numbers): cases of Kubernetes' own that this is")
    config.addinivalue_line("markers", "needs_containerd(version): what it cannot be tried without")
    config.addinivalue_line("markers", "needs_kubernetes(minor, before): from that version, up to"
                            " the one before the second")


def pytest_collection_modifyitems(config, items):
    minor = int(config.getoption("--kubernetes").split(".")[1])
    chosen, left_out = [], []
    for item in items:
        wanted = item.get_closest_marker("needs_kubernetes")
        runtime = item.get_closest_marker("needs_containerd")
        if wanted and not wanted.args[0] <= minor < wanted.kwargs.get("before", minor + 1):
            left_out.append(item)
        elif runtime and config.getoption("--containerd") != runtime.args[0]:
            left_out.append(item)
        elif "upgraded_kubelet" in item.fixturenames and not config.getoption("--older"):
            left_out.append(item)
        else:
            chosen.append(item)
        for marker in item.iter_markers("upstream"):
            item.user_properties += [("upstream", str(number)) for number in marker.args]
    config.hook.pytest_deselected(items=left_out)
    items[:] = chosen


@pytest.fixture(scope="session")
def cluster(request):
    made = clusters.Cluster(
        request.config.getoption("--kubernetes"),
        request.config.getoption("--containerd"),
        pathlib.Path(request.config.getoption("--binary")),
        pathlib.Path(request.config.getoption("--image")),
    )
    keep = request.config.getoption("--keep")
    try:
        made.disks.reset(0)
        made.up()
        yield made
    finally:
        if keep:
            print(f"\nkept: {made.directory}; kubectl: {made.kubectl_hint()}")
            input("Enter takes it down ")
        made.down()


@pytest.fixture
def lab(cluster):
    """The cluster with the DaemonSet, the configuration lab.yaml, three disks and no Pod."""
    cluster.reset(LAB, disks=3)
    yield cluster


@pytest.fixture
def lab_text() -> str:
    return LAB


@pytest.fixture
def upgraded_kubelet(lab, request):
    """The target version of an upgrade, for a node with a kubelet older than the control plane."""
    newest = lab.kubelet.version
    lab.kubelet.down()
    lab.kubelet.version = request.config.getoption("--older")
    lab.kubelet.up()
    lab.wait_ready()
    lab.wait_count("lab.example.com/disk", 3, 3)
    return newest


@pytest.fixture
def driver(cluster):
    """The driver without an installation, and no disk or Pod."""
    cluster.delete_pods()
    cluster.disks.reset(0)
    made = dra.Driver(cluster)
    try:
        yield made
    finally:
        made.remove()
        cluster.disks.reset(0)


@pytest.fixture
def plug(cluster):
    """A function that plugs disks of these sizes in MiB, in the first slots."""

    def with_sizes(*mebibytes: int) -> None:
        for disk, size in zip(cluster.disks.all, mebibytes):
            disk.plug(size)

    return with_sizes


@pytest.fixture
def steps(cluster) -> dra.Steps:
    return dra.Steps(cluster.node)


@pytest.fixture
def figure(record_property):
    """A function that records a measured value for the table."""

    def record(text: str) -> None:
        record_property("figure", text)

    return record


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the last output of the node's programs to a failure."""
    outcome = yield
    report = outcome.get_result()
    made = item.funcargs.get("cluster") or item.funcargs.get("lab")
    if report.failed and made is not None:
        report.sections.append(("the kubelet", made.kubelet.tail()))
        report.sections.append(("patchbay", made.daemon_log()))


