#!/usr/bin/env python3
"""Measures a watch over an emulated reader: idle, when a card arrives, and what taps take.

    processes.py TAPCARD [TAPS]

Seconds appear only where the kernel accounts for them (idle watch) or where one machine is compared
with itself (arrival of a card).
"""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import Reader, environment, nanoseconds, resident_kib, run, share_of_core, ticks, tree

IDLE_SECONDS = 10
FEW_TAPS = 10
ARRIVALS = 20


class Watch:
    def __init__(self, tapcard, env):
        self.process = subprocess.Popen(
            [tapcard, "watch", "--format", "{uid}"], env=env, stdin=subprocess.DEVNULL,
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
    interval = 80
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


def processor(reader, tapcard, env, chip):
    """What taps take of the processor, without what the same watch takes when it is idle."""
    card = next(tag["uid"] for tag in reader.tell("status")["tags"] if tag["chip"] == chip)
    watch = Watch(tapcard, env)
    # The reader's process is there with the first tap.
    reader.tell(f"present {card}")
    watch.line()
    processes = tree(watch.process.pid)
    reader.tell("remove")
    time.sleep(1)
    start, before = time.monotonic(), sum(map(nanoseconds, processes))
    for _ in range(ARRIVALS):
        reader.tell(f"present {card}")
        watch.line()
        reader.tell("remove")
        time.sleep(0.4)
    seconds, used = time.monotonic() - start, sum(map(nanoseconds, processes)) - before
    before = sum(map(nanoseconds, processes))
    time.sleep(IDLE_SECONDS)
    used -= (sum(map(nanoseconds, processes)) - before) * seconds / IDLE_SECONDS
    watch.stop()
    print(f"\nProcessor time of a tap on an {chip}, {ARRIVALS} of them: "
          f"{used / ARRIVALS / 1e6:.2f} ms")
    return used


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
            isRight = idle(reader, tapcard, env)
            isRight = arrival(reader, tapcard, env) and isRight
            pages = processor(reader, tapcard, env, "NTAG213")
            reader.tell("present NTAG213")
            run([tapcard, "demo"], env)
            isRight = memory(reader, tapcard, env, int(taps)) and isRight
            reader.tell("present NTAG424")
            run([tapcard, "demo"], env)
            proven = processor(reader, tapcard, env, "NTAG424")
            print(f"\n{proven / pages:.2f} times that of an NTAG213, at most 3")
            isRight = isRight and proven <= 3 * pages
        finally:
            reader.stop()
    sys.exit(0 if isRight else 1)


main(*sys.argv[1:])
