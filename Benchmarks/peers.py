#!/usr/bin/env python3
"""Measures tapcard next to its peers: whole programs on one emulated reader and one tag.

    peers.py TAPCARD PAGES_WITH_TAPCARD [--quick] [--only WORD]

Every program gets the same reader, freshly started, with the same tag on it, and is checked: what it
read is what the tag holds, what it wrote lies on the tag afterwards, and nothing else has changed.
The run fails where a program did not do what its row says. --quick runs each program once and counts
no instructions; --only takes the rows with this word in their name.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from measuring import ROOT, Reader, environment, run, without_debug_information
from peer_programs import SECONDS_LIMIT, Failure, Tag, tasks

ROUNDS = 11
FAILURES = (Failure, ValueError, KeyError, OSError, subprocess.SubprocessError)
# On a busy machine the emulated reader may answer later than a program waits.
ATTEMPTS = 3
COLUMNS = [
    "data commands", "host commands", "air and line, ms", "million instructions",
    "processor, ms", "memory, MiB",
]


class Place:
    """A reader with the tag on it, and a home with the ledger in which that tag is a card."""

    def __init__(self, folder, reader, before):
        self.folder = folder
        self.reader = reader
        self.before = before
        self.env = environment(reader, f"{folder}/home")
        self.device = os.path.realpath(reader.link)

    def tag(self):
        return Tag(self.reader.tell("dump")["dump"])


class Cost:
    def __init__(self, counters, microseconds, kib):
        self.data_commands = counters["dataCommands"]
        self.host_commands = counters["hostCommands"]
        # One after the other; where a program waits for an answer that does not come, it waits.
        self.milliseconds = sum(
            counters[part] for part in
            ["airMicroseconds", "silenceMicroseconds", "linkMicroseconds"]) / 1000
        self.processor_milliseconds = microseconds / 1000
        self.mebibytes = kib / 1024


class Bench:
    """The tag and the ledger that every run begins with."""

    def __init__(self, tapcard, folder):
        self.tapcard = tapcard
        self.folder = folder
        self.home = f"{folder}/prepared"
        os.mkdir(self.home)
        self.measured = f"{folder}/measured"
        compiled(f"{ROOT}/Benchmarks/Peers/measured.c", self.measured)
        reader = Reader(tapcard, folder)
        try:
            env = environment(reader, self.home)
            for words in [["init", "--currency", "USD"], ["demo"], ["add", "20"]]:
                run([tapcard] + words, env)
            self.tag = Tag(reader.tell("dump")["dump"])
        finally:
            reader.stop()

    @contextlib.contextmanager
    def place(self):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            shutil.copytree(self.home, f"{folder}/home")
            for name, tag in [("tag", self.tag), ("written", self.tag.with_data())]:
                with open(f"{folder}/{name}.txt", "w") as file:
                    file.write(tag.text)
                with open(f"{folder}/{name}.mfd", "wb") as file:
                    file.write(tag.raw())
            reader = Reader(self.tapcard, folder, f"{folder}/tag.txt")
            try:
                yield Place(folder, reader, self.tag)
            finally:
                reader.stop()

    def cost(self, program):
        """Runs the program once."""
        with self.place() as place:
            result = f"{place.folder}/result"
            outputs, microseconds, kib = [], 0, 0
            for words in program.commands(place):
                outputs.append(ended(program, [self.measured, result] + words, place).stdout)
                with open(result) as file:
                    used = [int(word) for word in file.read().split()]
                microseconds, kib = microseconds + used[0], max(kib, used[1])
            counters = place.reader.tell("counters")
            program.check(place, outputs)
            return Cost(counters, microseconds, kib)

    def instructions(self, program):
        """What valgrind counts in the program and in those that it starts."""
        counter = [
            "valgrind", "--tool=callgrind", "--trace-children=yes",
            "--callgrind-out-file=/dev/null"]
        with self.place() as place:
            all_ended = [
                ended(program, counter + words, place) for words in program.commands(place)]
            program.check(place, [one.stdout for one in all_ended])
        counts = re.findall(r"Collected : (\d+)", "".join(one.stderr for one in all_ended))
        if len(counts) < len(all_ended):
            raise Failure("valgrind counted nothing")
        return sum(int(count) for count in counts)


def ended(program, words, place):
    try:
        one = subprocess.run(
            words, env=place.env, cwd=place.folder, input=program.answers,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS_LIMIT)
    except subprocess.TimeoutExpired:
        raise Failure(f"ran longer than {SECONDS_LIMIT} s") from None
    if one.returncode != 0:
        raise Failure(f"ended with {one.returncode}: {(one.stdout + one.stderr)[-500:]}")
    return one


def compiled(source, program, *libraries):
    subprocess.run(["gcc", "-O2", "-Wall", "-o", program, source, *libraries], check=True)


def figures(bench, programs, quick):
    """The medians of each program, in rounds, so that all share what the machine does besides."""
    costs = {program: [] for program in programs}
    counted = {program: None for program in programs}
    failed = []

    def trying(program, step):
        for _ in range(ATTEMPTS):
            try:
                return step(program)
            except FAILURES as failure:
                print(f"{program.name}: {failure}", file=sys.stderr)
        failed.append(program)
        return None

    for _ in range(1 if quick else ROUNDS):
        for program in programs:
            if program not in failed:
                costs[program].append(trying(program, bench.cost))
    for program in programs:
        if program not in failed and not quick:
            counted[program] = trying(program, bench.instructions)

    def row(program):
        def median(name):
            return statistics.median(getattr(cost, name) for cost in costs[program])
        return [
            int(median("data_commands")), int(median("host_commands")), median("milliseconds"),
            None if quick else counted[program] / 1e6, median("processor_milliseconds"),
            median("mebibytes"),
        ]
    return {program: row(program) for program in programs if program not in failed}, failed


def leanest(programs, rows):
    """In each column the least that a peer needs for the whole task."""
    peers = [rows[program] for program in programs if program.is_peer and program in rows]
    return [None if None in column else min(column) for column in zip(*peers)]


def markdown(heading, rows):
    widths = [max(len(row[place]) for row in [heading] + rows) for place in range(len(heading))]
    for row in [heading, ["-" * width for width in widths]] + rows:
        print("| " + " | ".join(
            cell.ljust(width) for cell, width in zip(row, widths)) + " |")


def shown(figure):
    if figure is None:
        return "-"
    return str(figure) if isinstance(figure, int) else f"{figure:.1f}"


def ratio(figure, least):
    if not figure or not least:
        return "-"
    return f"{figure / least:.2f}" if figure < least else f"{figure / least:.1f}"


def report(groups, rows):
    absolute, relative = [], []
    for task, programs in groups:
        least = leanest(programs, rows)
        for table in absolute, relative:
            table.append([f"**{task}**"] + [""] * len(COLUMNS))
        for program in programs:
            if program in rows:
                absolute.append([program.name] + [shown(figure) for figure in rows[program]])
                if least:
                    relative.append([program.name] + [
                        ratio(*pair) for pair in zip(rows[program], least)])
    markdown(["task and program"] + COLUMNS, absolute)
    print()
    markdown(["next to the leanest peer"] + COLUMNS, relative)
    print()
    for task, programs in groups:
        for program in programs:
            print(f"- {task}, {program.name}: {program.meaning}.")


def versions(tapcard):
    def of_package(name):
        return subprocess.run(
            ["dpkg-query", "-W", "-f", "${Package} ${Version}", name], check=True,
            stdout=subprocess.PIPE, text=True).stdout
    own = subprocess.run(
        [tapcard, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return ", ".join([
        own.splitlines()[0], of_package("libnfc-bin"), of_package("libfreefare0"),
        f"nfcpy {importlib.metadata.version('nfcpy')}"])


def within_aim(groups, rows):
    """A tap in at most a tenth of the instructions that nfcpy takes for the bare pages."""
    by_name = {program.name: rows.get(program) for program in groups[0][1]}
    tap, nfcpy = by_name.get("tapcard read"), by_name.get("nfcpy")
    if not tap or not nfcpy or tap[3] is None or nfcpy[3] is None:
        return True
    print(f"\ntapcard read / nfcpy: {tap[3] / nfcpy[3]:.3f} of the instructions, at most 0.1")
    return tap[3] <= nfcpy[3] / 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tapcard")
    parser.add_argument("library")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tapcard, library = (
            without_debug_information(os.path.abspath(program), folder)
            for program in (options.tapcard, options.library))
        freefare = f"{folder}/pages_with_freefare"
        compiled(
            f"{ROOT}/Benchmarks/Peers/pages_with_freefare.c", freefare, "-lfreefare", "-lnfc")
        bench = Bench(tapcard, folder)
        groups = [
            (task, [program for program in programs if options.only in program.name])
            for task, programs in tasks(tapcard, library, freefare)]
        print(f"\nTapcard next to its peers: whole programs, one emulated PN532, one NTAG213; "
              f"median of {1 if options.quick else ROUNDS}\n"
              f"{datetime.date.today()}: {versions(tapcard)}\n", flush=True)
        rows, failed = figures(
            bench, [program for _, programs in groups for program in programs], options.quick)
        report(groups, rows)
        is_right = within_aim(groups, rows) and not failed
    sys.exit(0 if is_right else 1)


main()
