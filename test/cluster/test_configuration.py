"""Edits of the ConfigMap take effect, and a mistake has no effect."""

import time

import waiting

DISK = "lab.example.com/disk"
MORE = """\
  - name: more
    match: {glob: /dev/tty, type: char}
"""


def daemon(lab) -> str:
    pod = lab.daemon_pods()[0]
    state = pod["status"]["containerStatuses"][0]
    return f"{pod['metadata']['uid']} {state['containerID']} {state['restartCount']}"


def test_a_new_resource_a_removed_one_and_a_mistake(lab, lab_text, figure):
    before = daemon(lab)
    with lab.kubelet.watch() as watch:
        begun = time.time()
        lab.configure(lab_text + MORE)
        lab.wait_count("lab.example.com/more", 1, 1, 180)
        figure(f"from the edit to the new resource: {time.time() - begun:.1f} s")
        lab.configure(lab_text + "  - name: [broken\n")
        refused = "configuration rejected"
        waiting.until(lambda: refused in lab.daemon_log(), "the refusal", 180)
        assert lab.count("lab.example.com/more") == (1, 1)
        lab.configure(lab_text)
        lab.wait_count("lab.example.com/more", 0, 0, 180)
        # Equivalent resources stayed available during all edits.
        assert watch.without(DISK, 3, time.time()) == 0, watch.moments
    assert daemon(lab) == before
