#!/usr/bin/env python3
"""Measures many tills: two servers on one ledger in PostgreSQL, and payments at the tills' pages.

    tills.py TAPCARD [--tills COUNT]

Ten tills are `tapcard reader` processes, the others agents in a few processes (ManyAgents). Each has a
simulated reader with a card on it, and a page that listens to its events. Half of the readers are connected
to each server. So many payments are made at a time, each at the till that has waited longest. They are
compared with a client in C that does nothing but send a payment's statements to a PostgreSQL server of its
own, over as many connections. Processor time is that of whole processes and all that they have started;
for a payment, it is without what is used while nothing happens. At last the balance of each card, the
reports, and the audit must say what the answers said.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import re
import secrets
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import stations
from measuring import ROOT, resident_kib, table, tree
from remote import Machine

READERS = 10
# Each open poll takes a thread, and Swift gives a process at most 255.
AGENTS_A_PROCESS = 100
AT_A_TIME = (1, 8, 32)
LOAD_SECONDS = 15
IDLE_SECONDS = 20
BALANCE = 10_000
DEADLINE = 60
CASHIER = {"cashier": "Ann", "password": "sesame-open"}
PARTS = ("agents", "servers", "database", "pages")


class Database(stations.Server):
    """With the settings of the server to which the client in C pays."""

    SETTINGS = "-c shared_buffers=64MB -c autovacuum=off"


class Server:
    def __init__(self, tapcard, folder, name, ledger):
        self.machine = Machine(tapcard, f"{folder}/{name}")
        self.machine.variables |= {
            "PGPASSFILE": f"{folder}/{name}.pgpass", "TAPCARD_CASHIER_PASSWORD": CASHIER["password"]}
        self.ledger = ["--ledger", ledger]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = None

    def run(self, *words):
        return self.machine.run(*self.ledger, *words)

    def serve(self):
        words = [*self.ledger, "serve", "--no-reader", "--port", str(self.port), "--peer-address", self.address]
        self.process = subprocess.Popen(
            [self.machine.tapcard, *words], env=self.machine.variables, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        if not self.process.stdout.readline():
            sys.exit("a server does not start")

    def requests(self):
        _, text = Client().ask(self, "GET", "/metrics")
        return sum(map(int, re.findall(r"^tapcard_requests_total\{.*\} (\d+)$", text, re.M)))


class Client:
    """Connections to servers, which are kept open."""

    def __init__(self):
        self.connections = {}

    def ask(self, server, method, path, members=None, token=None):
        connection = self.connections.get(server)
        if not connection:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
            self.connections[server] = connection
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection.request(method, path, members and json.dumps(members), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


class Till:
    def __init__(self, place, servers):
        self.name, self.path = f"Till {place + 1}", f"/tills/{101 + place}/api/v1/"
        # The reader is connected to the first one.
        self.servers = servers[place % 2:] + servers[:place % 2]
        self.token, self.card, self.paid = None, None, 0

    def post(self, client, call, members, server=None):
        status, text = client.ask(server or self.servers[0], "POST", self.path + call, members, self.token)
        if status != 200:
            sys.exit(f"{self.name}: {call}: {text}")
        return json.loads(text)

    def open(self, listeners):
        client = Client()
        self.token = self.post(client, "session", CASHIER)["token"]
        listeners.add(self)
        self.card = self.post(client, "issue", {"balance": f"{BALANCE / 100:.2f}"})["uid"]

    def pay(self, client, server):
        answer = self.post(
            client, "pay", {"amount": "0.01", "operation": str(uuid.uuid4()), "again": True}, server)
        self.paid += 1
        if answer["balance"] != f"{(BALANCE - self.paid) / 100:.2f}":
            sys.exit(f"{self.name} paid {self.paid} times, but was told {answer}")


class Listeners(threading.Thread):
    """The pages of the tills, which read the events."""

    def __init__(self):
        super().__init__(daemon=True)
        self.selector = selectors.DefaultSelector()

    def add(self, till):
        page = socket.create_connection(("127.0.0.1", till.servers[0].port))
        page.sendall((f"GET {till.path}events HTTP/1.1\r\nHost: 127.0.0.1:{till.servers[0].port}\r\n"
                      f"Authorization: Bearer {till.token}\r\n\r\n").encode())
        if not page.recv(65536).startswith(b"HTTP/1.1 200"):
            sys.exit(f"{till.name} has no events")
        self.selector.register(page, selectors.EVENT_READ)

    def run(self):
        while True:
            for key, _ in self.selector.select():
                if not key.fileobj.recv(65536):
                    self.selector.unregister(key.fileobj)


def processor_seconds(process):
    seconds = 0
    for one in tree(process):
        # One that ends meanwhile is counted by its parent.
        with contextlib.suppress(OSError), open(f"/proc/{one}/stat") as file:
            seconds += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:15])) / stations.TICK
    return seconds


class Town:
    """The servers, their database, and the tills."""

    def __init__(self, tapcard, folder, database):
        self.tapcard, self.folder, self.database = tapcard, folder, database
        self.servers, self.tills, self.agents = [], [], []
        self.client, self.listeners = Client(), Listeners()
        self.listeners.start()

    def serve(self):
        self.database.sql("postgres", "CREATE DATABASE issuer")
        ledger = self.database.address("issuer")
        owner = Machine(self.tapcard, f"{self.folder}/owner")
        owner.run("--ledger", ledger, "ledger", "init", "--currency", "EUR")
        for name in ("server-1", "server-2"):
            owner.run("--ledger", ledger, "servers", "add", name, f"{self.folder}/{name}.pgpass")
            self.servers.append(
                Server(self.tapcard, self.folder, name, ledger.replace("user=owner", f"user={name}")))
        first, second = self.servers
        first.run("init")
        first.run("keys", "export", f"{self.folder}/keys.json")
        second.run("keys", "import", f"{self.folder}/keys.json")
        first.run("cashiers", "add", CASHIER["cashier"])
        data, other = (f"{server.machine.home}/.local/share/tapcard/simulated" for server in self.servers)
        shutil.copy(f"{data}/cashiers.json", other)
        for server in self.servers:
            server.serve()

    def add(self, count, connect):
        new = [Till(len(self.tills) + place, self.servers) for place in range(count)]
        codes = []
        for till in new:
            added = self.servers[0].run("tills", "add", till.name, "--trusted")
            codes.append(re.search(r"\b([0-9A-Z]{4}-){2}[0-9A-Z]{4}\b", added).group(0))
        connect(list(zip(new, codes)))
        # Most of the time is for the passwords.
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda till: till.open(self.listeners), new))
        self.tills += new

    def connect_readers(self, added):
        for till, code in added:
            machine = Machine(self.tapcard, f"{self.folder}/{till.name}")
            machine.run("sim", "put", "NTAG213")
            addresses = ",".join(server.address for server in till.servers)
            agent = machine.start("reader", "--server", addresses, "--code", code)
            self.agents.append(agent)
            while "Connected to" not in (told := agent.stderr.readline()):
                if not told:
                    sys.exit("tapcard reader has ended")

    def connect_agents(self, added):
        for first in range(0, len(added), AGENTS_A_PROCESS):
            some = added[first:first + AGENTS_A_PROCESS]
            agent = subprocess.Popen([f"{ROOT}/.build/release/ManyAgents"], text=True, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
            self.agents.append(agent)
            for till, code in some:
                token = "tapcard_till_" + secrets.token_urlsafe(32)
                self.client.ask(till.servers[0], "POST", "/agent/v1/enroll", {
                    "code": code, "token_hash": hashlib.sha256(token.encode()).hexdigest()})
                agent.stdin.write(f"{till.servers[0].address} {token}\n")
            agent.stdin.close()
            for _ in some:
                if not agent.stdout.readline():
                    sys.exit("the agents have ended")

    def used(self):
        """The processor seconds of each part."""
        return (sum(processor_seconds(agent.pid) for agent in self.agents),
                sum(processor_seconds(server.process.pid) for server in self.servers),
                processor_seconds(self.database.process), time.process_time())

    def size(self):
        """The MiB, descriptors, and threads of the larger server."""
        processes = [server.process.pid for server in self.servers]
        return (max(map(resident_kib, processes)) / 1024,
                *(max(len(os.listdir(f"/proc/{process}/{kind}")) for process in processes)
                  for kind in ("fd", "task")))

    def idle(self):
        """Requests and processor seconds a second, while nothing happens."""
        requests, used = sum(server.requests() for server in self.servers), self.used()
        time.sleep(IDLE_SECONDS)
        used = [(after - before) / IDLE_SECONDS for before, after in zip(used, self.used())]
        return (sum(server.requests() for server in self.servers) - requests) / IDLE_SECONDS, used

    def pay(self, count, isForwarded=False):
        """The milliseconds of each payment, the seconds of all, and the processor seconds of each part."""
        waiting, times, failures = collections.deque(self.tills), [], []
        used, start = self.used(), time.monotonic()

        def use():
            client = Client()
            try:
                while time.monotonic() < start + LOAD_SECONDS:
                    till, before = waiting.popleft(), time.perf_counter()
                    till.pay(client, till.servers[isForwarded])
                    times.append((time.perf_counter() - before) * 1000)
                    waiting.append(till)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=use) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return times, time.monotonic() - start, [after - before for before, after in zip(used, self.used())]

    def is_true(self):
        """Whether the ledger, the reports, and the audit say what the answers said."""
        due = {till.card: BALANCE - till.paid for till in self.tills}
        balances = dict(line.split("|") for line in self.database.sql(
            "issuer", "SELECT lpad(upper(to_hex(uid)), 14, '0'), balance FROM card").split())
        reports = {}
        for report in ("days", "tills"):
            reports[report] = json.loads(self.servers[1].run("--json", "report", report))
        audit = json.loads(self.servers[1].run("--json", "audit"))
        count = sum(till.paid for till in self.tills)
        print(f"\n{count} payments were answered; the reports have {reports['days']['sum']['sales']}, and the audit "
              f"found {len(audit['violations'])} broken rules.")
        return ({card: int(balance) for card, balance in balances.items()} == due and not audit["violations"]
                and {row["till"]: row["sales"] for row in reports["tills"]["rows"]}
                == {till.name: till.paid for till in self.tills}
                and all(reports[report]["sum"]["sales"] == count
                        and reports[report]["sum"]["sold"] == f"{count / 100:.2f}" for report in reports))

    def end(self):
        for process in self.agents + [server.process for server in self.servers if server.process]:
            process.terminate()
            process.wait()


def in_c(count):
    """Payments a second, of the ledger alone and of the client in C."""
    said = subprocess.run([f"{ROOT}/.build/release/StationBenchmarks", "round", str(count)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return map(float, said.split())


def measure(town, count):
    few = min(READERS, count)
    town.add(few, town.connect_readers)
    # What issuing the cards has begun comes to its end.
    time.sleep(IDLE_SECONDS)
    sizes = [(few, *town.size())]
    town.add(count - few, town.connect_agents)
    time.sleep(IDLE_SECONDS)
    sizes.append((count, *town.size()))
    requests, idle = town.idle()
    print(f"\nWhile nothing happens, for each of {count} tills: {requests / count:.3f} requests a second; processor "
          "time in us a second: " + ", ".join(f"{part} {each / count * 1e6:.0f}" for part, each in zip(PARTS, idle)))
    rows = []
    for most, isForwarded in [(each, False) for each in AT_A_TIME] + [(AT_A_TIME[1], True)]:
        together = min(most, count)
        times, seconds, used = town.pay(together, isForwarded)
        alone, c = in_c(together)
        ordered = sorted(times)
        rows.append([f"{together}{', forwarded' if isForwarded else ''}", f"{len(times) / seconds:.1f}",
                     f"{statistics.median(ordered):.1f}", f"{ordered[len(ordered) * 99 // 100]:.1f}"]
                    + [f"{(part - each * seconds) / len(times) * 1000:.2f}" for part, each in zip(used, idle)]
                    + [f"{alone:.0f}", f"{c:.0f}", f"{len(times) / seconds / c:.3f}"])
    sizes.append((count, *town.size()))
    print(f"\nPayments at {count} tills, {LOAD_SECONDS} s for each row: how many a second, their times in ms, the "
          "processor time for\neach in ms; how many a second the ledger and the client in C make alone, and the ratio "
          "to the latter\n")
    table(["at a time", "a second", "p50", "p99", *PARTS, "ledger", "in C", "ratio"], rows)
    print("\nThe larger of the servers, at the end after the payments\n")
    table(["tills", "MiB", "descriptors", "threads"],
          [(tills, f"{mib:.1f}", descriptors, threads) for tills, mib, descriptors, threads in sizes])
    if count > few:
        print(f"\n{(sizes[1][1] - sizes[0][1]) * 1024 / (count - few):.0f} KiB for each till")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tapcard", type=os.path.abspath)
    parser.add_argument("--tills", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tapcard-tills-") as folder:
        database = Database(folder)
        town = Town(given.tapcard, folder, database)
        try:
            town.serve()
            measure(town, given.tills)
            isRight = town.is_true()
        finally:
            town.end()
            database.stop()
    sys.exit(0 if isRight else 1)


if __name__ == "__main__":
    main()
