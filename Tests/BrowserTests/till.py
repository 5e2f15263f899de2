"""A till under test: the server for its page, and its command line."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TAPCARD = os.path.abspath(os.environ.get("TAPCARD", f"{ROOT}/.build/release/tapcard"))
# After this time, a program that was told to end is considered hung.
END_LIMIT = 60
PAUSE = 0.01
# How long a reader must have been empty before a card counts as arriving.
ABSENCE = 1.1


class Refused(Exception):
    """An unsuccessful response from the API."""

    def __init__(self, status, document):
        super().__init__(status, document)
        self.status, self.document = status, document


class Program:
    """`tapcard` with these words, running until it is stopped; its first line has its address."""

    def __init__(self, words, environment, log):
        self.process = subprocess.Popen(
            [TAPCARD, *words], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=log, text=True)
        self.first_line = self.process.stdout.readline()
        if not self.first_line:
            raise AssertionError(f"tapcard {' '.join(words)} did not begin")

    def stop(self):
        self.process.terminate()
        self._end()

    def kill(self):
        self.process.kill()
        self._end()

    def _end(self):
        try:
            self.process.wait(END_LIMIT)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


class Sandbox(Program):
    """Stands in for the three services."""

    def __init__(self, environment, log):
        super().__init__(["sandbox", "--json"], environment, log)
        addresses = json.loads(self.first_line)
        self.control, self.password = addresses["control"], addresses["password"]
        self.settings = {
            f"TAPCARD_{name.upper()}_URL": addresses[name]
            for name in ("activation", "lottery", "mastermind")}

    def hold(self):
        """Makes requests wait for as long as a test needs."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.go_on()
        super().stop()

    def fail(self, failure):
        self._send("PUT", "failure", failure)

    def name_version(self, version):
        self._send("PUT", "version", version)

    def draw(self):
        self._send("POST", "draw", "")

    def _send(self, method, path, text):
        request = urllib.request.Request(
            f"{self.control}/{path}", text.encode(), method=method)
        urllib.request.urlopen(request, timeout=END_LIMIT).close()


class Emulator(Program):
    """A PN532 on a pseudo-terminal, for the real libnfc."""

    def __init__(self, link, environment, log):
        self.link, self.environment = link, environment
        super().__init__(["emulate", "--link", link], environment, log)

    def tell(self, line):
        subprocess.run(
            [TAPCARD, "emulate", "--link", self.link, "--tell", line], env=self.environment,
            check=True, stdout=subprocess.DEVNULL, timeout=END_LIMIT)


class Machine(Program):
    """A till's machine: `tapcard reader` in a home of its own, with a simulated reader."""

    def __init__(self, till, *options, home=None):
        self.home = home or tempfile.mkdtemp(prefix="tapcard-machine-")
        with open(f"{self.home}/log", "w", encoding="utf-8") as log:
            super().__init__(
                ["reader", *options],
                {**till.environment, "HOME": self.home, "TAPCARD_READER": "sim"}, log)

    def end(self):
        """Waits until it ends by itself. Returns its exit status and what it said."""
        status = self.process.wait(END_LIMIT)
        with open(f"{self.home}/log", encoding="utf-8") as log:
            return status, log.read()

    def again(self, till):
        """Starts it again, as the same till."""
        return Machine(till, home=self.home)

    def close(self):
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)


class Till:
    """A server with its own home, on a free port, and its helpers."""

    def __init__(self, *options, reader="sim", tills=1, sandbox=False, **settings):
        self.home = tempfile.mkdtemp(prefix="tapcard-browser-")
        self.log = open(f"{self.home}/log", "w+")
        self.environment = {
            "HOME": self.home, "PATH": "/usr/bin:/bin", "TZ": "UTC",
            # Nobody listens there, so no test calls the real services.
            **{f"TAPCARD_{name}_URL": "http://127.0.0.1:9/"
               for name in ("ACTIVATION", "LOTTERY", "MASTERMIND")},
            **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}}
        self.options = options
        # When the reader was last seen to be empty after a card.
        self.emptied = 0
        if tills > 1:
            self.options += ("--reader", "sim")
            for number in range(2, tills + 1):
                self.options += ("--reader", f"sim:{self.tags_of(number)}")
        # The default till of requests; empty if there is only one.
        self.place = "/tills/1" if tills > 1 else ""
        self.sandbox = self.emulator = self.server = self.token = None
        # The cashier who calls the API, if the till requires a login.
        self.cashier = {}
        if sandbox:
            self.sandbox = Sandbox(self.environment, self.log)
            self.environment.update(self.sandbox.settings)
        if reader == "emulated":
            self.emulator = Emulator(f"{self.home}/reader", self.environment, self.log)
            reader = f"pn532_uart:{self.emulator.link}"
        self.environment.update({"TAPCARD_READER": reader, **settings})
        if reader != "sim":
            self.run("init", "--currency", "USD")
        self.url = "http://127.0.0.1:0"
        self.start()

    def start(self):
        """Starts the server, or restarts it at the same address."""
        port = self.url.rpartition(":")[2]
        self.server = Program(
            ["serve", "--port", port, *self.options], self.environment, self.log)
        self.url = next(
            word for word in self.server.first_line.split() if word.startswith("http")).rstrip("/")
        self.token = None

    def close(self):
        for program in (self.server, self.emulator, self.sandbox):
            if program and program.process.returncode is None:
                program.stop()
        self.log.close()
        shutil.rmtree(self.home)

    def tags_of(self, number):
        """The file of this till's simulated reader, from the second till on."""
        return f"{self.home}/tags-{number}.txt"

    def call(self, method, path, body=None, at=None):
        """Calls the API as another page would, at the till with this number, even for a card that
        has had the same operation before."""
        if path in ("pay", "sell", "add", "ticket/buy"):
            body = {"again": True, **body}
        headers = {"Content-Type": "application/json"}
        if method != "GET" or self.cashier:
            self.token = self.token or self.send("POST", "session", self.cashier, headers)["token"]
            headers["Authorization"] = f"Bearer {self.token}"
        return self.send(method, path, body, headers, f"/tills/{at}" if at else self.place)

    def wait(self, what, question):
        """Repeats the question until its answer is true, and returns the answer."""
        end = time.monotonic() + END_LIMIT
        while not (answer := question()):
            if time.monotonic() > end:
                raise AssertionError(f"never: {what}")
            time.sleep(PAUSE)
        return answer

    def read(self):
        """The card on the reader, which is read again after an operation."""
        def seen():
            card = self.call("GET", "card")
            return (card["read"] or card["problem"] or card["session"] is None) and [card["read"]]
        return self.wait("the card is read", seen)[0]

    def send(self, method, path, body, headers, place=""):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}{place}/api/v1/{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=END_LIMIT) as response:
                return json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, json.loads(error.read())) from None

    def run(self, *words, **settings):
        """The document that the command line prints, whatever its exit status."""
        ended = subprocess.run(
            [TAPCARD, *words, "--json"], env={**self.environment, **settings},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=END_LIMIT)
        return json.loads(ended.stdout)

    def add_cashier(self, name, password):
        self.run("cashiers", "add", name, TAPCARD_CASHIER_PASSWORD=password)
        self.cashier, self.token = {"cashier": name, "password": password}, None

    # The simulated reader, and setting up tests.

    def put(self, *tags, at=None):
        """Puts tags on the reader. If it was empty, it was for long enough that they arrive."""
        self.stay_empty()
        self.call("POST", "simulator/put", {"tags": list(tags)}, at)

    def stay_empty(self):
        time.sleep(max(0, self.emptied + ABSENCE - time.monotonic()))

    def take(self, at=None):
        self.call("POST", "simulator/take", {}, at)
        self.be_empty(at)

    def be_empty(self, at=None):
        self.wait("the reader is empty", lambda: self.call("GET", "card", at=at)["session"] is None)
        self.emptied = time.monotonic()

    def remove(self):
        """Takes the card off the emulated reader."""
        self.emulator.tell("remove")
        self.be_empty()

    def present(self):
        """Puts the card back on the emulated reader, on which it arrives."""
        self.stay_empty()
        self.emulator.tell("present")

    def tear(self, fault):
        self.call("POST", "simulator/tear", {"fault": fault})

    def tags(self):
        return self.call("GET", "simulator")["tags"]

    def make_demo(self, balance=None):
        """Makes the demo user's card on the tag that is there."""
        card = self.call("POST", "demo", {})
        if balance:
            self.call("POST", "add", {"amount": balance, "confirmed": True})
            self.put_again()
        return card["uid"]

    def put_again(self, uid=None):
        """Takes the card off the reader and puts it back, which starts a new visit. A card that
        cannot be read needs its UID."""
        is_read = self.read if uid is None else lambda: self.call("GET", "card")["session"]
        # A server that has just started has to see the card first, or it would not notice that it
        # left.
        self.wait("the card is seen", is_read)
        uid = uid or self.read()["uid"]
        if self.emulator:
            self.emulator.tell("remove")
        else:
            self.take()
        self.wait("the card is gone", lambda: self.call("GET", "card")["session"] is None)
        if self.emulator:
            self.emulator.tell("present")
        else:
            self.put(uid)
        self.wait("the card is read", is_read)

    def make_card(self, **members):
        return self.call("POST", "issue", members)["uid"]

    def history(self):
        return self.call("GET", "history")["entries"]

    def done(self, kind):
        """The amounts of all operations of this kind."""
        return [each["amount"] for each in self.history()
                if each["kind"] == kind and each["state"] == "committed"]
