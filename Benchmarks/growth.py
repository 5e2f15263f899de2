#!/usr/bin/env python3
"""Grows ledgers and counts what the same commands cost in each: a tap costs the same whatever is in the file.

    growth.py TAPCARD [CARDS ...]

A ledger begins with one card that the program itself has made on the simulated reader. The other
cards are rows that are inserted by SQL in one transaction, each with an issue, a top-up and two
payments, as the program books them; the audit at the end shows that they are sound. Instructions are
those that valgrind counts; memory is the largest resident set of the process, by the kernel's account.
Reading a whole ledger costs in proportion to it and is timed by the processor instead, as valgrind
would take hours.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

from measuring import table

OPERATIONS_A_CARD = 4
DAYS = 500
DAY_MS = 86_400_000
MOST_OF_A_TAP = 1.1
MOST_MIB = 64
# Of these valgrind counts the instructions; they must not depend on what the ledger holds.
TAPS = [("read", ["read"]), ("pay", ["pay", "0.01"]), ("history --last 20", ["history", "--last", "20"])]

# Operation number k of card n; ids in no order, as random ones are.
ID = "printf('%08x-0000-4000-8{:03d}-%012x', (n * 2654435761 + {}) & 4294967295, n)"
UID = "printf('04%012X', n * 1000003)"


def numbers(cards):
    return f"WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {cards})"


def grow(path, cards):
    ledger = sqlite3.connect(path, isolation_level=None)
    ledger.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000")
    begun = ledger.execute("SELECT min(begun_at) FROM operation").fetchone()[0]
    key = ledger.execute("SELECT min(key_id) FROM issued_record").fetchone()[0]
    ledger.execute("BEGIN IMMEDIATE")
    ledger.execute(f"""
        {numbers(cards)} INSERT INTO account (name, balance)
        SELECT 'purse:' || {UID} || ':1', 1500 FROM number ORDER BY 1""")
    ledger.execute("INSERT INTO account VALUES ('takings', 0), ('cash', 0) ON CONFLICT DO NOTHING")
    ledger.execute(f"""
        {numbers(cards)} INSERT INTO card (
            uid, chip, is_genuine_chip, status, holder_id, holder_name, scratch, scratch_code, face,
            account, allocated, confirmed, is_display_stale)
        SELECT {UID}, 'NTAG213', NULL, 'active', n, 'Card Holder ' || n, 'unscratched', NULL, 'tapcard',
            1, {OPERATIONS_A_CARD}, {OPERATIONS_A_CARD}, 0 FROM number ORDER BY 1""")
    purse = f"'purse:' || {UID} || ':1'"
    steps = [("issue", 1000, "cash", 1), ("add", 1000, "cash", 1), ("pay", 250, "takings", -1),
             ("pay", 250, "takings", -1)]
    balance = 0
    for k, (kind, amount, other, sign) in enumerate(steps, start=1):
        ident = ID.format(k, k * 40503)
        balance += sign * amount
        # Spread over the days before the first card, oldest first.
        time = (f"{begun} - {DAYS * DAY_MS} + ({k - 1} * {cards} + n) * {DAYS - 1} * {DAY_MS}"
                f" / ({OPERATIONS_A_CARD} * {cards})")
        ledger.execute(f"""
            {numbers(cards)} INSERT INTO operation (
                id, uid, kind, amount, begun_at, state, sequence, ended_at, balance_after)
            SELECT {ident}, {UID}, '{kind}', {amount}, {time}, 'committed', {k}, {time}, {balance}
            FROM number""")
        for account, change in [(purse, sign * amount), (f"'{other}'", -sign * amount)]:
            ledger.execute(f"""
                {numbers(cards)} INSERT INTO entry (operation, account, amount, posted_at)
                SELECT {ident}, {account}, {change}, {time} FROM number""")
        ledger.execute(f"UPDATE account SET balance = balance + ? WHERE name = '{other}'",
                       [-sign * amount * cards])
    for k in range(1, OPERATIONS_A_CARD + 1):
        # Bytes that look as random as a seal does.
        ledger.execute(f"""
            {numbers(cards)} INSERT INTO issued_record (uid, sequence, bytes, operation, key_id)
            SELECT {UID}, {k}, substr(randomblob(16), 1, 16), {ID.format(k, k * 40503)}, {key}
            FROM number""")
    ledger.execute("COMMIT")
    ledger.execute("PRAGMA journal_mode = WAL")
    ledger.close()


class Station:
    """A data folder of its own with a card on a simulated reader."""

    def __init__(self, tapcard, folder):
        self.tapcard = tapcard
        self.ledger = f"{folder}/tapcard/simulated/ledger.sqlite"
        self.env = {
            "HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "TZ": "UTC",
            "PATH": "/usr/bin:/bin", "TAPCARD_READER": f"sim:{folder}/tags.txt",
        }
        self.run(["demo"])

    def run(self, words):
        subprocess.run(
            [self.tapcard] + words, env=self.env, check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)

    def output(self, words):
        return subprocess.run(
            [self.tapcard] + words, env=self.env, check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True).stdout

    def instructions(self, words):
        counted = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self.tapcard] + words,
            env=self.env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True).stderr
        return sum(int(number) for number in re.findall(r"Collected : (\d+)", counted))

    def used(self, words):
        """Processor seconds and the largest resident set in MiB."""
        child = os.posix_spawn(
            self.tapcard, [self.tapcard] + words, self.env,
            file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        _, status, usage = os.wait4(child, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"tapcard {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(tapcard, cards):
    """Rows of (what, instructions or None, processor seconds, MiB) in a ledger of so many cards."""
    with tempfile.TemporaryDirectory() as folder:
        station = Station(tapcard, folder)
        station.run(["add", "100"])
        # In a process of its own: the memory of this one counts as that of the programs it starts.
        subprocess.run([sys.executable, __file__, "--grow", station.ledger, str(cards - 1)], check=True)
        rows = []
        for what, words in TAPS:
            station.run(words)
            rows.append((what, station.instructions(words), *station.used(words)))
        day = json.loads(station.output(["history", "--last", "1", "--json"]))["entries"][0]["at"][:10]
        wholes = [("takings", ["takings", "--day", day]), ("history --json", ["history", "--json"]),
                  ("audit", ["audit"]), ("backup", ["backup", f"{folder}/copy.sqlite"])]
        for what, words in wholes:
            rows.append((what, None, *station.used(words)))
        return os.path.getsize(station.ledger), rows


def main(tapcard, *counts):
    tapcard = os.path.abspath(tapcard)
    counts = [int(count) for count in counts] or [1_000, 100_000, 1_000_000]
    isRight = True
    first = {}
    with tempfile.TemporaryDirectory() as folder:
        # The same instructions; what describes them is newer than Debian's valgrind can read.
        stripped = f"{folder}/tapcard"
        subprocess.run(["strip", "--strip-debug", "-o", stripped, tapcard], check=True)
        for cards in counts:
            size, rows = measure(stripped, cards)
            print(f"\nA ledger of {cards} cards and {cards * OPERATIONS_A_CARD} operations, "
                  f"{size / 2**20:.0f} MiB\n")
            table(["what", "instructions", "to the smallest", "processor, s", "memory, MiB", ""], [
                [what, f"{count / 1e6:.1f} million" if count else "",
                 f"{count / first.setdefault(what, count):.3f}" if count else "", f"{seconds:.2f}",
                 f"{mib:.0f}",
                 "" if mib <= MOST_MIB and (not count or count <= first[what] * MOST_OF_A_TAP)
                 else "TOO MUCH"]
                for what, count, seconds, mib in rows])
            isRight = isRight and all(
                mib <= MOST_MIB and (not count or count <= first[what] * MOST_OF_A_TAP)
                for what, count, _, mib in rows)
    print(f"\nA tap costs at most {MOST_OF_A_TAP} times as many instructions as in the smallest ledger; "
          f"every command stays within {MOST_MIB} MiB.")
    sys.exit(0 if isRight else 1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--grow"]:
        grow(sys.argv[2], int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
