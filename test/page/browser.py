"""A headless browser, driven over its debugging pipe."""

import base64
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "fake"))
from patience import PATIENCE


class Browser:
    def __init__(self):
        self._profile = tempfile.TemporaryDirectory()
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def pipes():
            os.dup2(to_read, 3)
            os.dup2(from_write, 4)

        # The browser uses descriptors 3 and 4, so moves the pipes away from these numbers first.
        to_read, from_write = (os.dup2(fd, fd + 20, inheritable=True) for fd in (to_read, from_write))
        self._process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--remote-debugging-pipe",
             f"--user-data-dir={self._profile.name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=True, pass_fds=(3, 4), start_new_session=True,
        )
        os.close(to_read)
        os.close(from_write)
        self._out, self._in = to_write, from_read
        self._number = 0
        self._rest = b""
        self._session = None
        self._problems = []  # Errors of the page.
        self.requests = []  # Requests of the page.
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)
        self._end_children()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def _end_children(self):
        """Kills the browser's children, which may outlive it and write into the profile."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            time.sleep(0.01)

    def _message(self):
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], PATIENCE)[0]:
                raise AssertionError("the browser does not answer")
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise AssertionError("the browser has gone")
            self._rest += piece
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self._problems.append(parameters["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self._problems.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self._problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def show(self, url, width=1200, height=900, dark=False, script=True):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.take_problems()
        self.requests.clear()
        self.call("Page.navigate", url=url)

    def set_offline(self, offline):
        self.call("Network.emulateNetworkConditions", offline=offline, latency=0,
                  downloadThroughput=-1, uploadThroughput=-1)

    def take_problems(self):
        problems, self._problems = self._problems, []
        return problems

    def inject(self, script):
        """Runs a script that does not belong to the page, past its policy."""
        self.call("Runtime.evaluate", expression=script)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, expression):
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            if time.monotonic() > end:
                text = self.value("document.body.innerText")
                raise AssertionError(f"never: {expression}\n{text}\n{self._problems}")
            time.sleep(0.02)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
