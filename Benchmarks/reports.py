#!/usr/bin/env python3
"""Measures reports on a large ledger: fills a copy of a ledger with payments, then runs each report.

    Benchmarks/reports.py .build/release/tapcard [OPERATIONS]
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

CARDS = 10_000
START = 1_760_000_000_000


def fill(path, count):
    """Adds payments as tapcard stores them, without the records of the cards."""
    ledger = sqlite3.connect(path)
    ledger.execute("PRAGMA synchronous = OFF")
    ledger.execute("PRAGMA foreign_keys = OFF")
    columns = [row[1] for row in ledger.execute("PRAGMA table_info(card)")]
    card = ledger.execute("SELECT * FROM card").fetchone()
    first = dict(zip(columns, card))
    uids = [f"04{number:012X}" for number in range(CARDS)]
    for uid in uids:
        row = dict(first, uid=uid, holder_name=f"Customer {uid[-4:]}")
        ledger.execute(
            f"INSERT INTO card VALUES ({','.join('?' * len(columns))})",
            [row[name] for name in columns])
    balances = {"cash": 0, "takings": 0, **{f"purse:{uid}:1": 0 for uid in uids}}
    operation = (
        "INSERT INTO operation (id, uid, kind, amount, begun_at, state, sequence, ended_at,"
        " balance_after, cashier, lines) VALUES (?, ?, ?, ?, ?, 'committed', 0, ?, 0, ?, ?)")
    entry = "INSERT INTO entry (operation, account, amount, posted_at) VALUES (?, ?, ?, ?)"
    product = uuid.UUID(int=7)
    for name in balances:
        ledger.execute("INSERT OR IGNORE INTO account VALUES (?, 0)", [name])
    for number in range(count):
        uid = uids[number % CARDS]
        purse = f"purse:{uid}:1"
        at = START + number * 30_000
        name = str(uuid.UUID(int=1 << 64 | number))
        is_top_up = balances[purse] < 1000
        amount = 20_00 if is_top_up else 350
        source, target = ("cash", purse) if is_top_up else (purse, "takings")
        ledger.execute(operation, [
            name, uid, "add" if is_top_up else "pay", amount, at, at, f"Cashier {number % 5}",
            None if is_top_up else f"1\t350\t{product}\tCoffee"])
        for account, change in ((target, amount), (source, -amount)):
            balances[account] += change
            ledger.execute(entry, [name, account, change, at])
    for name, change in balances.items():
        ledger.execute(
            "UPDATE account SET balance = balance + ? WHERE name = ?", [change, name])
    ledger.commit()
    ledger.close()


def main():
    tapcard = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    home = tempfile.mkdtemp()
    environment = {**os.environ, "HOME": home, "TAPCARD_READER": "sim"}
    environment.pop("XDG_DATA_HOME", None)
    try:
        subprocess.run([tapcard, "demo", "--quiet"], env=environment, check=True)
        fill(f"{home}/.local/share/tapcard/simulated/ledger.sqlite", count)
        print(f"{count} operations on {CARDS} cards")
        for words in ("report days", "report products", "report outstanding", "report refunds",
                      "export", "export --lines"):
            begun = time.monotonic()
            with open(os.devnull, "wb") as nowhere:
                child = subprocess.Popen(
                    [tapcard, *words.split()], env=environment, stdout=nowhere)
                _, status, usage = os.wait4(child.pid, 0)
            print(f"{words:20} {time.monotonic() - begun:6.1f} s {usage.ru_maxrss / 1024:6.0f} MiB"
                  f"{'' if status == 0 else '  failed'}")
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
