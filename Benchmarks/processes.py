#!/usr/bin/env python3
"""Counts what whole programs cost, side by side on one emulated reader: tapcard, nfc-mfultralight, nfcpy.

    processes.py TAPCARD [TAPS]

Host commands, data commands and modelled times are the emulated reader's counters; instructions are
those that valgrind counts; seconds appear only where the kernel accounts for them (idle watch) or
where one machine is compared with itself (arrival of a card).
"""

import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import PYTHON, ROOT, resident_kib, share_of_core, table, ticks, tree

NFCPY = f"{ROOT}/Tests/OtherClients/nfcpy_client.py"
IDLE_SECONDS = 10
FEW_TAPS = 10
ARRIVALS = 20


class Reader:
    """`tapcard emulate`, and the lines that it is told."""

    def __init__(self, tapcard, folder):
        self.link = f"{folder}/reader"
        self.process = subprocess.Popen(
            [tapcard, "emulate", "--link", self.link], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.process.stdout.readline()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{self.link}.control")
        self.lines = self.socket.makefile("rw")
        self.name = f"pn532_uart:{self.link}"

    def tell(self, line):
        self.lines.write(line + "\n")
        self.lines.flush()
        return json.loads(self.lines.readline())

    def stop(self):
        self.process.terminate()
        self.process.wait()


def environment(reader, folder):
    return {
        "HOME": folder, "PATH": "/usr/bin:/bin", "TAPCARD_READER": reader.name,
        "LIBNFC_DEFAULT_DEVICE": reader.name, "LIBNFC_AUTO_SCAN": "false",
        "LIBNFC_INTRUSIVE_SCAN": "false",
    }


def run(words, env):
    subprocess.run(
        words, env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def instructions(words, env):
    counted = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + words, env=env,
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True).stderr
    return sum(int(number) for number in re.findall(r"Collected : (\d+)", counted))


def without_debug_information(tapcard, folder):
    """The same instructions; what describes them is newer than Debian's valgrind can read."""
    stripped = f"{folder}/tapcard"
    run(["strip", "--strip-debug", "-o", stripped, tapcard], None)
    return stripped


def compare(reader, tapcard, folder):
    """One card read by each program, from its start to its end."""
    env = environment(reader, folder)
    device = os.path.realpath(reader.link)
    programs = [
        ("tapcard read", [tapcard, "read"]),
        ("nfc-mfultralight r", ["nfc-mfultralight", "r", f"{folder}/dump.mfd"]),
        ("nfcpy, NDEF", [PYTHON, NFCPY, device, "read"]),
    ]
    rows = []
    for name, words in programs:
        reader.tell("reset")
        run(words, env)
        counters = reader.tell("counters")
        air, line = counters["airMicroseconds"] / 1000, counters["linkMicroseconds"] / 1000
        rows.append([
            name, counters["dataCommands"], counters["hostCommands"], f"{air:.1f}", f"{line:.1f}",
            instructions(words, env),
        ])
    print("\nOne card read by each program, from its start to its end, opening the reader included\n")
    table(["program", "data commands", "host commands", "air, ms", "line, ms", "instructions"], [
        row[:5] + [f"{row[5] / 1e6:.1f} million"] for row in rows])
    tapcard_count, libnfc_count, nfcpy_count = (row[5] for row in rows)
    start = instructions([tapcard, "--version"], env)
    print(f"\ntapcard read / nfcpy: {tapcard_count / nfcpy_count:.3f}, at most 0.1")
    print(f"tapcard read / nfc-mfultralight r: {tapcard_count / libnfc_count:.1f}; the aim is 3. "
          f"{start / 1e6:.1f} million of it are its start (tapcard --version).")
    return tapcard_count <= nfcpy_count / 10


class Watch:
    def __init__(self, tapcard, env):
        self.process = subprocess.Popen(
            [tapcard, "read", "--watch"], env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the watch has ended")
        return line

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def idle(reader, tapcard, env):
    reader.tell("remove")
    watch = Watch(tapcard, env)
    time.sleep(2)
    processes = tree(watch.process.pid)
    before = sum(ticks(process) for process in processes)
    time.sleep(IDLE_SECONDS)
    used = sum(ticks(process) for process in processes) - before
    watch.stop()
    share = share_of_core(used, IDLE_SECONDS)
    print(f"\nIdle watch, {len(processes)} processes, {IDLE_SECONDS} s: {share:.2f} % of a core, "
          "at most 1")
    return share < 1


def arrival(reader, tapcard, env):
    """From the tag's arrival to its line, beside what a read alone takes on this machine."""
    interval = 100
    cards = [tag["uid"] for tag in reader.tell("status")["tags"]]
    watch = Watch(tapcard, env)
    waits = []
    for number in range(ARRIVALS):
        start = time.monotonic()
        reader.tell(f"present {cards[0]}")
        watch.line()
        waits.append((time.monotonic() - start) * 1000)
        reader.tell("remove")
        # Two misses make a removal; then a different moment of the interval each time.
        time.sleep(0.4 + number * 0.013)
    watch.stop()
    longest = 2 * interval
    print(f"\nArrival of a card to its line, {ARRIVALS} times: median "
          f"{statistics.median(waits):.0f} ms, longest {max(waits):.0f} ms; at most {longest}, a "
          "polling interval and the read with as much again for a busy machine")
    return max(waits) <= longest


def memory(reader, tapcard, env, taps):
    """Two cards in turn: another card is another tap at once."""
    cards = [tag["uid"] for tag in reader.tell("status")["tags"]][:2]
    reader.tell("remove")
    watch = Watch(tapcard, env)
    kib = {}
    for tap in range(1, taps + 1):
        reader.tell(f"present {cards[tap % 2]}")
        watch.line()
        if tap in (FEW_TAPS, taps):
            kib[tap] = sum(resident_kib(process) for process in tree(watch.process.pid))
    watch.stop()
    grown = kib[taps] - kib[FEW_TAPS]
    print(f"\nMemory of a watch and its reader's process: {kib[FEW_TAPS]} KiB after {FEW_TAPS} "
          f"taps, {kib[taps]} KiB after {taps}; {grown:+} KiB, at most 2048")
    return grown <= 2048


def main(tapcard, taps="1000"):
    tapcard = os.path.abspath(tapcard)
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(tapcard, folder)
        try:
            env = environment(reader, folder)
            run([tapcard, "init", "--currency", "USD"], env)
            run([tapcard, "demo"], env)
            isRight = compare(reader, without_debug_information(tapcard, folder), folder)
            isRight = idle(reader, tapcard, env) and isRight
            isRight = arrival(reader, tapcard, env) and isRight
            reader.tell("present NTAG213")
            run([tapcard, "demo"], env)
            isRight = memory(reader, tapcard, env, int(taps)) and isRight
        finally:
            reader.stop()
    sys.exit(0 if isRight else 1)


main(*sys.argv[1:])
