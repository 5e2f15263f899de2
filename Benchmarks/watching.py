#!/usr/bin/env python3
"""Measures `tapcard watch --json` over thousands of arrivals at an emulated reader.

    watching.py TAPCARD [ARRIVALS]

Puts two tags on the reader in turn. Memory and processor time include the watch and its reader process.
Processor time excludes what they use in the same time with no tag on the reader.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from measuring import Reader, environment, resident_kib, ticks, tree

IDLE_SECONDS = 20
FIRST = 100
GROWTH_KIB = 2048
ARRIVAL_MS = 2


def arrive(reader, watch, card):
    reader.tell(f"present {card}")
    while True:
        line = watch.stdout.readline()
        if not line:
            sys.exit("the watch has ended")
        if json.loads(line)["event"] == "arrived":
            return


def main(tapcard, arrivals="10000"):
    tapcard, arrivals = os.path.abspath(tapcard), int(arrivals)
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(tapcard, folder)
        env = environment(reader, folder)
        reader.tell("present NTAG213")
        cards = [tag["uid"] for tag in reader.tell("status")["tags"]][:2]
        reader.tell("remove")
        watch = subprocess.Popen(
            [tapcard, "watch", "--json"], env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        try:
            kib = {}
            for number in range(1, arrivals + 1):
                arrive(reader, watch, cards[number % 2])
                if number in (FIRST, FIRST * 10, arrivals):
                    processes = tree(watch.pid)
                    kib[number] = sum(map(resident_kib, processes))
                if number == FIRST:
                    start, before = time.monotonic(), sum(map(ticks, processes))
            seconds, used = time.monotonic() - start, sum(map(ticks, processes)) - before
            reader.tell("remove")
            time.sleep(1)
            before = sum(map(ticks, processes))
            time.sleep(IDLE_SECONDS)
            idle = (sum(map(ticks, processes)) - before) / IDLE_SECONDS
        finally:
            watch.terminate()
            watch.wait()
            reader.stop()
    grown = kib[arrivals] - kib[FIRST]
    print(f"Memory of a watch: {', '.join(f'{kib[n]} KiB after {n} arrivals' for n in kib)}; "
          f"{grown:+} KiB, at most {GROWTH_KIB:+}")
    perArrival = (used - idle * seconds) / os.sysconf("SC_CLK_TCK") / (arrivals - FIRST) * 1000
    print(f"Processor time of an arrival: {perArrival:.2f} ms, at most {ARRIVAL_MS}; "
          f"{arrivals} arrivals took {seconds:.0f} s")
    sys.exit(0 if grown <= GROWTH_KIB and perArrival <= ARRIVAL_MS else 1)


main(*sys.argv[1:])
