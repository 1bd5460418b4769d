"""Headless Chromium, driven over its debugging pipe with the standard library alone."""

import json
import os
import select
import shutil
import subprocess
import time

PATIENCE = 60.0
# The proxy leaves network requests of a page without an answer.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
    "--proxy-server=http://127.0.0.1:9",
]


def find_chromium():
    return shutil.which("chromium") or shutil.which("google-chrome")


class Browser:
    """One tab of a separate Chromium; use as a context manager. `events` holds its reported events, in order."""

    def __init__(self, program, profile):
        to_read, self._commands = os.pipe()
        self._answers, to_write = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4.
        line = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        command = ["bash", "-c", line, program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        streams = {"pass_fds": (to_read, to_write), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, **streams)
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._number, self._session, self.events = b"", 0, None, []

    def __enter__(self):
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def call(self, method, **parameters):
        """Send one command and wait for its answer; events that arrive meanwhile stay in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        answer = self._wait(lambda one: one.get("id") == self._number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, uri, *, width=1280, height=900, scripts=True, dark=False):
        """Load a page in a window of that size and wait until it is complete; `events` is emptied."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=uri)
        if not any(one.get("method") == "Page.loadEventFired" for one in self.events):
            self._wait(lambda one: one.get("method") == "Page.loadEventFired")

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page; for a promise, its resolved value."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"]["description"])
        return found["result"].get("value")

    def complaints(self):
        """Errors and warnings on the console, exceptions, and requests that a policy refused."""
        said = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                said.append(parameters["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                said.append(str(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                said.append(parameters["entry"]["text"])
        return said

    def requests(self):
        """Addresses that the page requested, except data: URLs."""
        sent = [event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent if not one["request"]["url"].startswith("data:")]

    def _wait(self, wanted):
        deadline = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self._buffer:
                ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
                part = os.read(self._answers, 2**20) if ready else b""
                if not part:
                    raise RuntimeError("Chromium ended or did not answer in time")
                self._buffer += part
            text, _, self._buffer = self._buffer.partition(b"\0")
            message = json.loads(text)
            if "id" not in message:
                self.events.append(message)
            if wanted(message):
                return message
