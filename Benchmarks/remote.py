#!/usr/bin/env python3
"""Measures payments at tills whose readers are on other machines.

    remote.py TAPCARD [PAYMENTS]

A server with a simulated reader of its own, and a till whose agent and page reach it through a relay
that delays every byte, so that the round trip takes 0, 5, 20, or 80 ms. A payment is measured at the
till, from sending the page's request to its answer. The local reader is paid at in turn with it, in
the same run. The number of round trips of a payment is how much longer it takes for each millisecond.
"""

import asyncio
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measuring import table

ROUND_TRIPS = (0, 5, 20, 80)
CHIPS = ("NTAG213", "NTAG424")
PAYMENTS = 20
DEADLINE = 30


class Relay:
    """Passes bytes on to the server, each after half of the round trip."""

    def __init__(self):
        self.target, self.delay, self.port = None, 0.0, None
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve(ready)), daemon=True).start()
        ready.wait()

    async def serve(self, ready):
        server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    async def accept(self, reader, writer):
        onward, back = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self.copy(reader, back), self.copy(onward, writer))

    async def copy(self, reader, writer):
        queue = asyncio.Queue()

        async def deliver():
            while True:
                due, chunk = await queue.get()
                await asyncio.sleep(max(0, due - time.monotonic()))
                if not chunk:
                    break
                writer.write(chunk)
            writer.close()

        delivery = asyncio.create_task(deliver())
        try:
            while chunk := await reader.read(65536):
                queue.put_nowait((time.monotonic() + self.delay / 2, chunk))
        except ConnectionError:
            pass
        queue.put_nowait((time.monotonic() + self.delay / 2, b""))
        await asyncio.gather(delivery, return_exceptions=True)


class Machine:
    """A home folder, with the simulated reader of one machine."""

    def __init__(self, tapcard, folder):
        self.tapcard, self.home = tapcard, folder
        os.mkdir(folder)
        self.variables = {
            key: value for key, value in os.environ.items()
            if not key.startswith(("TAPCARD_", "XDG_"))
        } | {"HOME": folder, "TAPCARD_READER": "sim"}

    def run(self, *words):
        return subprocess.run(
            [self.tapcard, *words], env=self.variables, check=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def start(self, *words):
        return subprocess.Popen(
            [self.tapcard, *words], env=self.variables, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)


class Page:
    """A page at one till: a connection that is kept open, and a session."""

    def __init__(self, port, till):
        self.path = f"/tills/{till}/api/v1/" if till else "/api/v1/"
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        self.token = None
        self.token = self.post("session", {})["token"]

    def post(self, call, members):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        self.connection.request("POST", self.path + call, json.dumps(members), headers)
        answer = self.connection.getresponse()
        document = json.loads(answer.read())
        if answer.status != 200:
            raise SystemExit(f"{self.path}{call}: {document}")
        return document

    def settle(self):
        """Waits until the card that is still on the reader has been read again."""
        while True:
            self.connection.request("GET", self.path + "card", headers={
                "Authorization": f"Bearer {self.token}"})
            if (json.loads(self.connection.getresponse().read()) or {}).get("read"):
                return
            time.sleep(0.02)

    def pay(self):
        """The time of one payment, in milliseconds."""
        self.settle()
        start = time.perf_counter()
        self.post("pay", {"amount": "0.01", "again": True})
        return (time.perf_counter() - start) * 1000


def slope(points):
    """How many milliseconds a payment takes longer for each millisecond of the round trip."""
    xs, ys = zip(*points)
    x, y = statistics.mean(xs), statistics.mean(ys)
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a in xs)


def main():
    tapcard = os.path.abspath(sys.argv[1])
    payments = int(sys.argv[2]) if len(sys.argv) > 2 else PAYMENTS
    with tempfile.TemporaryDirectory() as folder:
        server, till = Machine(tapcard, f"{folder}/server"), Machine(tapcard, f"{folder}/till")
        server.run("init", "--currency", "USD")
        relay = Relay()
        # Otherwise the server would refuse the relay's port in the Host header.
        served = server.start("serve", "--peer-address", f"http://127.0.0.1:{relay.port}")
        agent = None
        try:
            port = relay.target = int(re.search(r":(\d+)/", served.stdout.readline()).group(1))
            code = re.search(r"\b([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})\b", server.run("tills", "add", "Bar", "--trusted"))
            agent = till.start(
                "reader", "--server", f"http://127.0.0.1:{relay.port}", "--code", code.group(1))
            told = ""
            while "Connected to" not in told:
                line = agent.stderr.readline()
                if not line:
                    raise SystemExit(f"the agent has ended: {told}")
                told += line
            rows = []
            for chip in CHIPS:
                # Both simulations give their tags the same numbers, in order.
                for machine, tags in ((server, 1), (till, 2)):
                    for _ in range(tags):
                        machine.run("sim", "take")
                        machine.run("sim", "put", chip)
                relay.delay = 0
                local = Page(port, None)
                local.post("issue", {"balance": "100"})
                Page(port, 101).post("issue", {"balance": "100"})
                points = []
                for milliseconds in ROUND_TRIPS:
                    relay.delay = milliseconds / 1000
                    far = Page(relay.port, 101)
                    far.pay()
                    times = [(local.pay(), far.pay()) for _ in range(payments)]
                    here, there = (statistics.median(each) for each in zip(*times))
                    points.append((milliseconds, there))
                    rows.append((chip, milliseconds, f"{here:.1f}", f"{there:.1f}",
                                 f"{max(pair[1] for pair in times):.1f}"))
                rows.append((chip, "round trips", "", f"{slope(points):.2f}", ""))
            table(["chip", "round trip, ms", "local reader, ms", "far reader, ms", "longest, ms"], rows)
        finally:
            for process in (agent, served):
                if process:
                    process.terminate()
                    process.wait()


if __name__ == "__main__":
    main()
