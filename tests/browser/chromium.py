"""Headless Chromium over its debugging pipe: requests and replies are JSON, each ended by a zero byte.

The browser reads from descriptor 3 and writes to descriptor 4. No package beyond the standard library is needed.
"""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Failed(Exception):
    """The page did not do what was asked, or the browser did not answer."""


def find():
    """The browser, or None. CHROMIUM names another one."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab. What the page says on the console, and every error, is kept in `complaints`."""

    def __init__(self, width=1320, height=900):
        self.profile = tempfile.mkdtemp(prefix="cutpoint-browser-")
        to_read, self.to_write = os.pipe()
        self.to_listen, to_speak = os.pipe()

        def descriptors():
            # Copies above 4 first: either number may be one of the pipe's own.
            reads, writes = os.dup(to_read), os.dup(to_speak)
            while reads < 5:
                reads = os.dup(reads)
            while writes < 5:
                writes = os.dup(writes)
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", f"--window-size={width},{height}", f"--user-data-dir={self.profile}",
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_speak)
        self.buffer, self.number, self.session, self.events, self.complaints = b"", 0, None, [], []
        target = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self._send(json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next(240)
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise Failed(f"{method}: {reply['error']['message']}")
                return reply["result"]

    def _send(self, data):
        while data:
            data = data[os.write(self.to_write, data):]

    def _next(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            if not select.select([self.to_listen], [], [], max(0, end - time.monotonic()))[0]:
                raise Failed(f"no answer within {seconds} s")
            data = os.read(self.to_listen, 1 << 20)
            if not data:
                raise Failed("the browser went away")
            self.buffer += data
        one, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(one)
        self._note(message)
        return message

    def _note(self, message):
        method, said = message.get("method"), message.get("params", {})
        if method:
            self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.complaints.append("exception: " + json.dumps(said["exceptionDetails"])[:400])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append("console: " + json.dumps(said["args"])[:400])
        elif method == "Log.entryAdded":
            self.complaints.append("log: " + said["entry"]["text"][:400])
        elif method == "Network.requestWillBeSent" and not said["request"]["url"].startswith(("file:", "data:")):
            self.complaints.append("network: " + said["request"]["url"][:200])

    def open(self, url):
        """Opens a page; seconds until it was loaded."""
        self.events.clear()
        start = time.monotonic()
        self.ask("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self._next(60)
        return time.monotonic() - start

    def run(self, script):
        """The value of an expression in the page; a promise is awaited."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def key(self, name, code=None, text=""):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=code or name, text=text if kind == "keyDown" else "",
                     windowsVirtualKeyCode={"Enter": 13, "Tab": 9}.get(name, 0))

    def picture(self, path, clip=None):
        import base64
        parameters = {"format": "png", "captureBeyondViewport": True}
        if clip:
            parameters["clip"] = dict(zip(("x", "y", "width", "height"), clip), scale=1)
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.ask("Page.captureScreenshot", **parameters)["data"]))
