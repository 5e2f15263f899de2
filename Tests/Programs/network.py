#!/usr/bin/env python3
"""Lets the line of a till's machine fail before each packet of a request, on real TCP and TLS.

    network.py TAPCARD [REQUEST...]

A server and a till's machine are in network namespaces of their own. The cable between them is a pair
of tunnel devices, whose packets this program passes on, so that it can stop before any of them. The
line fails before the first packet with data, before the second, and so on, in each of these ways:

    cut      the link goes down at both ends
    stalled  nothing arrives any longer, and nobody is told
    blink    the link goes down, and comes back after a second

In some runs, the line is mended once the page has its answer, and the page asks again with the same ID.
In others, the card is carried to a second till at once, and pays there. The time from the failure to
the answer there is how long the card was locked, with all the work of that payment. In the end, the
balance must be the sum of what was answered with "done", and the audit must find nothing. Each run has
a ledger of its own; all of them take about half an hour on two cores.
"""

import ctypes
import fcntl
import http.client
import json
import multiprocessing
import os
import re
import select
import shutil
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid

SERVER, MACHINE, PORT = "10.9.0.1", "10.9.0.2", 8443
WORKERS = 8 * os.cpu_count()
DEADLINE = 60
# No card may be locked for longer.
LOCK_LIMIT = 10
BLINK = 1
# What each request does, and by how much it changes the balance of 20.00 in cents.
REQUESTS = {
    "pay": ("pay", {"amount": "2.50", "again": True}, -250),
    "add": ("add", {"amount": "3.00", "again": True}, 300),
    "issue": ("issue", {"balance": "20.00"}, 0),
    "change-of-key": ("pay", {"amount": "2.50", "again": True}, -250),
}
CHIPS = ("NTAG213", "NTAG424")
UID = re.compile("last-tag: ([0-9A-F]{14})")
# How the line fails, and whether the card then goes to the second till.
FAILURES = [(how, moves) for how in ("cut", "stalled") for moves in (False, True)] + [("blink", False)]


class Wrong(Exception):
    """What must never happen."""


class Wire:
    """The cable between the server's namespace, which is this process's, and that of the machine."""

    def __init__(self):
        # CLONE_NEWNET
        if ctypes.CDLL(None, use_errno=True).unshare(0x40000000):
            raise OSError(ctypes.get_errno(), "unshare")
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while not os.path.exists(self.space) or os.readlink(self.space) == own:
            time.sleep(0.001)
        self.ends = [Wire.device("server"), Wire.device("machine")]
        Wire.ip("link", "set", "machine", "netns", str(self.holder.pid))
        Wire.ip("address", "add", f"{SERVER}/24", "dev", "server")
        self.within("ip", "address", "add", f"{MACHINE}/24", "dev", "machine")
        Wire.ip("link", "set", "lo", "up")
        self.within("ip", "link", "set", "lo", "up")
        self.link("up")
        # A line that is mended while it fails is up in the end.
        self.lock = threading.Lock()
        self.reset(0, None)
        threading.Thread(target=self.pump, daemon=True).start()

    @property
    def space(self):
        return f"/proc/{self.holder.pid}/ns/net"

    @staticmethod
    def device(name):
        end = os.open("/dev/net/tun", os.O_RDWR)
        # TUNSETIFF with IFF_TUN and IFF_NO_PI: whole IP packets.
        fcntl.ioctl(end, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1001))
        return end

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True)

    def entering(self, *words):
        return ["nsenter", f"--net={self.space}", *words]

    def within(self, *words):
        subprocess.run(self.entering(*words), check=True)

    def link(self, state):
        Wire.ip("link", "set", "server", state)
        self.within("ip", "link", "set", "machine", state)

    def reset(self, place, how):
        """From now on, counts packets with data, and fails before that one; 0 is none."""
        self.failure = threading.Event()
        self.count, self.failed_at, self.is_down = 0, None, False
        self.place, self.how = place, how

    def pump(self):
        while True:
            for end in select.select(self.ends, [], [])[0]:
                try:
                    packet = os.read(end, 65536)
                except OSError:  # This link is down.
                    time.sleep(0.01)
                    continue
                if Wire.carries_data(packet):
                    self.count += 1
                    with self.lock:
                        if self.count == self.place:
                            self.fail()
                if self.is_down:
                    continue
                try:
                    os.write(self.ends[1 - self.ends.index(end)], packet)
                except OSError:
                    pass  # This link is down.

    @staticmethod
    def carries_data(packet):
        if packet[0] >> 4 != 4 or packet[9] != 6:
            return False
        header = (packet[0] & 15) * 4
        return len(packet) > header + (packet[header + 12] >> 4) * 4

    def fail(self):
        self.failed_at = time.monotonic()
        self.is_down = True
        if self.how in ("cut", "blink"):
            self.link("down")
        if self.how == "blink":
            threading.Timer(BLINK, self.mend).start()
        self.failure.set()

    def disarm(self):
        """From now on, the line does not fail. Returns when it has; None if it has not."""
        with self.lock:
            self.place = 0
            return self.failed_at

    def mend(self):
        with self.lock:
            self.is_down = False
            self.link("up")

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Machine:
    """A home folder with a simulated reader, and the processes that run in it."""

    def __init__(self, folder, name, prefix=()):
        self.home, self.prefix = f"{folder}/{name}", list(prefix)
        os.mkdir(self.home)
        self.variables = {
            key: value for key, value in os.environ.items() if not key.startswith(("TAPCARD_", "XDG_"))
        } | {"HOME": self.home, "TAPCARD_READER": "sim"}
        self.log = f"{self.home}/log"

    @property
    def simulation(self):
        return f"{self.home}/.local/share/tapcard/simulated/simulation.txt"

    def run(self, *words):
        ended = subprocess.run(
            [TAPCARD, *words], env=self.variables, text=True, capture_output=True)
        if ended.returncode:
            raise Wrong(f"{words}: {ended.stderr}")
        return ended.stdout

    def start(self, *words):
        with open(self.log, "w", encoding="utf-8") as log:
            return subprocess.Popen(
                [*self.prefix, TAPCARD, *words], env=self.variables, stdout=log, stderr=log)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def wait_until(what, is_so):
    end = time.monotonic() + DEADLINE
    while not (found := is_so()):
        if time.monotonic() > end:
            raise Wrong(f"waited in vain until {what}")
        time.sleep(0.1)
    return found


class World:
    """A server, a till behind the wire, and a second till beside the server."""

    def __init__(self, wire, chip, request, folder):
        self.wire, self.processes = wire, []
        self.call, self.body, self.change = REQUESTS[request]
        self.context = ssl.create_default_context(cafile=CERTIFICATE)
        self.server = Machine(folder, "server")
        self.server.run("init", "--currency", "EUR")
        self.processes.append(self.server.start(
            "serve", "--no-reader", "--listen", SERVER, "--port", str(PORT), "--insecure",
            "--tls-certificate", CERTIFICATE, "--tls-key", KEY))
        self.machines = [
            Machine(folder, "far", wire.entering()), Machine(folder, "near")]
        self.tokens = []
        wait_until("the server serves", lambda: "Ctrl-C" in read(self.server.log))
        for number, machine in enumerate(self.machines):
            said = self.server.run("tills", "add", machine.home.split("/")[-1], "--trusted")
            code = re.search(r"\b([0-9A-Z]{4}-){2}[0-9A-Z]{4}\b", said).group()
            machine.run("config", "set", "ca-file", CERTIFICATE)
            self.processes.append(machine.start(
                "reader", "--server", f"https://{SERVER}:{PORT}", "--code", code))
            wait_until("a reader is connected", lambda: "Connected to" in read(machine.log))
            self.tokens.append("")
            self.tokens[number] = wait_until(
                "a till is served", lambda: self.ask(number, "session", {}).get("token"))
        self.machines[0].run("sim", "put", chip)
        if request != "issue":
            self.finish(0, "issue", {"balance": "20.00"})
            wait_until("the card has been looked at", lambda: self.ask(0, "card")["read"])
        if request == "change-of-key":
            self.server.run("keys", "rotate")

    def ask(self, till, call, members=None):
        """The answer to a page at this till."""
        connection = http.client.HTTPSConnection(
            SERVER, PORT, timeout=DEADLINE, context=self.context)
        headers = {"Content-Type": "application/json"}
        if self.tokens[till]:
            headers["Authorization"] = f"Bearer {self.tokens[till]}"
        body = None if members is None else json.dumps(members)
        connection.request(
            "GET" if body is None else "POST", f"/tills/{101 + till}/api/v1/{call}", body, headers)
        try:
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def finish(self, till, call, body):
        """Asks with one ID until it is known whether the request was carried out."""
        body = {"operation": str(uuid.uuid4())} | body
        last = {}

        def is_known():
            nonlocal last
            last = self.ask(till, call, body)
            return last["result"] == "done" or last.get("error") == "operation-voided"

        try:
            wait_until("a request is resolved", is_known)
        except Wrong as error:
            raise Wrong(f"{error}: {last}") from None
        return last["result"] == "done"

    def play(self, place, how, moves):
        """Makes the request while the line fails. Returns the number of packets until the answer, whether
        the line has failed, the answer's result, and how many seconds things took."""
        body = {"operation": str(uuid.uuid4())} | self.body
        answers = []
        self.wire.reset(place, how)
        asking = threading.Thread(target=lambda: answers.append(self.ask(0, self.call, body)))
        asking.start()
        while asking.is_alive() and not self.wire.failure.is_set():
            asking.join(0.001)
        failed_at, last, paid = self.wire.disarm(), 0, 0
        seconds = {}
        if failed_at and moves:
            far, near = self.machines
            far.run("sim", "take")
            shutil.copy(far.simulation, near.simulation)
            near.run("sim", "put", UID.search(read(near.simulation)).group(1))
            last = 1
            if self.call == "issue":
                self.finish(last, self.call, body)
            else:
                paid = -50 * self.finish(last, "pay", {"amount": "0.50", "again": True})
            seconds["locked"] = time.monotonic() - failed_at
        asking.join()
        mended = time.monotonic()
        count = self.wire.count
        if failed_at and not moves:
            seconds["answered"] = mended - failed_at
        if how != "blink":
            self.wire.mend()
        is_done = self.finish(last, self.call, body)
        if answers[0]["result"] == "done" and not is_done:
            raise Wrong(f"it was done and then not: {answers[0]}")
        if failed_at and not moves:
            seconds["resolved"] = time.monotonic() - mended
        euros = f"{(2000 + paid + is_done * self.change) / 100:.2f}"
        wait_until(
            f"{euros} are on the card", lambda: (self.ask(last, "card")["read"] or {}).get("balance") == euros)
        audit = self.ask(last, "audit")
        if audit["violations"] or audit["open"]:
            raise Wrong(f"the audit found {audit}")
        return count, failed_at is not None, answers[0]["result"], seconds

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


def work(cases, results):
    wire = Wire()
    try:
        for case in iter(cases.get, None):
            request, chip, place, how, moves = case
            with tempfile.TemporaryDirectory() as folder:
                world = None
                try:
                    world = World(wire, chip, request, folder)
                    results.put((case, world.play(place, how, moves), None))
                except Exception as error:  # pylint: disable=broad-except
                    results.put((case, None, f"{type(error).__name__}: {error}"))
                finally:
                    if world:
                        world.close()
                    wire.mend()
    finally:
        wire.close()


def main():
    possible = "ip tuntap add dev server mode tun"
    if subprocess.run(["unshare", "--net", "sh", "-c", possible], check=False).returncode:
        raise SystemExit("This needs root, the program ip, and network namespaces with tunnel devices.")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", f"/CN={SERVER}", "-addext", f"subjectAltName=IP:{SERVER}",
         "-keyout", KEY, "-out", CERTIFICATE], check=True, stderr=subprocess.DEVNULL)
    cases, results = multiprocessing.Queue(), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(cases, results)) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    kinds = [(request, chip) for request in sys.argv[2:] or REQUESTS for chip in CHIPS]
    wrong = []

    def play(planned):
        for case in planned:
            cases.put(case)
        for _ in planned:
            case, played, problem = results.get()
            if problem:
                wrong.append(case)
                print(*case, problem, flush=True)
            else:
                yield case, played

    # Without a failure first, to count the packets, which differs a little.
    counts = {}
    for case, played in play([(*kind, 0, None, False) for kind in kinds] * 5):
        counts[case[:2]] = max(counts.get(case[:2], 0), played[0])
    rows = {}
    for case, played in play([
            (*kind, place, *failure) for kind in counts for place in range(1, counts[kind] + 1)
            for failure in FAILURES]):
        rows.setdefault((*case[:2], case[3]), []).append(played)
    for _ in workers:
        cases.put(None)
    for worker in workers:
        worker.join()
    headings = ("request", "chip", "line", "packets", "failures", "done all the same",
                "answer, s", "resolved, s", "locked, s")
    table, longest = [headings], 0
    for kind, played in sorted(rows.items()):
        failed = [each for each in played if each[1]]
        most = {name: max((each[3].get(name, 0) for each in failed), default=0)
                for name in ("answered", "resolved", "locked")}
        longest = max(longest, most["locked"])
        table.append((*kind, counts[kind[:2]], len(failed), sum(each[2] == "done" for each in failed),
                      *(f"{time:.1f}" for time in most.values())))
    widths = [max(len(str(cell)) for cell in column) for column in zip(*table)]
    for row in table:
        print(*(str(cell).ljust(width) for cell, width in zip(row, widths)), sep="  ")
    print(f"{len(wrong)} wrong; the longest lock took {longest:.1f} s")
    raise SystemExit(bool(wrong) or longest > LOCK_LIMIT)


if __name__ == "__main__":
    TAPCARD = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as PLACE:
        CERTIFICATE, KEY = f"{PLACE}/server.crt", f"{PLACE}/server.key"
        main()
