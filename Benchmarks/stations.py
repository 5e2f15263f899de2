#!/usr/bin/env python3
"""Grows ledgers in PostgreSQL: a payment costs the same whatever is in the ledger, and an audit needs little memory.

    stations.py TAPCARD STATION_BENCHMARKS [CARDS ...]

A server of its own, on a socket in a folder of its own. Each ledger is made by the program, which then
issues its first card. The other cards are rows that are inserted by SQL, each with an issue, a top-up
and payments, as the program books them; the audit shows that they are sound. Payments are then made in
turn in each ledger. Their cost is the processor time of the client and of the server; both are shown
next to those in the smallest ledger. At last a file with 100,000 cards is moved into a database.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import growth
from measuring import table

OPERATIONS_A_CARD = 10
ROUNDS = 5
PAYMENTS = 500
MOST_OF_A_PAYMENT = 1.1
MOST_MIB = 64
CARDS_TO_MOVE = 100_000
UNPRIVILEGED = 65_534
TICK = os.sysconf("SC_CLK_TCK")

# Card number n, and operation k of it.
UID = "(4::bigint << 48) + n::bigint * 1000003"
ID = "(lpad(to_hex(n::bigint * 2654435761 % 4294967296), 8, '0') || '-0000-4000-8{:03d}-' || lpad(to_hex(n), 12, '0'))::uuid"


class Server:
    """A PostgreSQL server that PostgreSQL's own user runs, if this is root."""

    # Tables are loaded without a sync; what is measured then does not depend on the disk.
    SETTINGS = ("-c fsync=off -c shared_buffers=1GB -c max_wal_size=8GB -c checkpoint_timeout=1h "
                "-c autovacuum=off -c maintenance_work_mem=512MB")

    def __init__(self, folder):
        versions = sorted(os.listdir("/usr/lib/postgresql"), key=int)
        self.programs = f"/usr/lib/postgresql/{versions[-1]}/bin"
        self.folder = folder
        os.chmod(folder, 0o755)
        os.mkdir(f"{folder}/server")
        if os.getuid() == 0:
            os.chown(f"{folder}/server", UNPRIVILEGED, UNPRIVILEGED)
        data = f"{folder}/server/data"
        self.run(["initdb", "--pgdata", data, "--username", "owner", "--auth", "trust", "--no-sync",
                  "--locale", "C", "--encoding", "UTF8"])
        self.run(["pg_ctl", "start", "--wait", "--pgdata", data, "--log", f"{folder}/server/log", "--options",
                  f"-k {folder}/server -c listen_addresses='' {self.SETTINGS}"])
        with open(f"{data}/postmaster.pid") as file:
            self.process = int(file.readline())

    def run(self, words):
        drop = (["setpriv", f"--reuid={UNPRIVILEGED}", f"--regid={UNPRIVILEGED}", "--clear-groups"]
                if os.getuid() == 0 else [])
        subprocess.run(drop + [f"{self.programs}/{words[0]}"] + words[1:], check=True, cwd="/",
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def stop(self):
        self.run(["pg_ctl", "stop", "--mode", "immediate", "--pgdata", f"{self.folder}/server/data"])

    def address(self, database):
        return f"postgresql:///{database}?host={self.folder}/server&user=owner"

    def sql(self, database, *statements):
        words = [f"{self.programs}/psql", "-h", f"{self.folder}/server", "-U", "owner", "-d", database,
                 "-qAtX", "-v", "ON_ERROR_STOP=1"]
        return subprocess.run(words, check=True, input=";\n".join(statements) + ";\n",
                              stdout=subprocess.PIPE, text=True).stdout

    def seconds(self):
        """The processor time of connections that have ended; those that are ending are waited for."""
        while self.serves():
            time.sleep(0.05)
        with open(f"/proc/{self.process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[13]) + int(fields[14])) / TICK

    def serves(self):
        with open(f"/proc/{self.process}/task/{self.process}/children") as file:
            children = file.read().split()
        for child in children:
            try:
                with open(f"/proc/{child}/cmdline") as file:
                    if "postgres: owner" in file.read():
                        return True
            except OSError:
                pass
        return False


def grow(server, database, cards):
    begun = int(server.sql(database, "SELECT min(begun_at) FROM operation"))
    numbers = f"generate_series(1, {cards}) AS n"
    steps = [("issue", 1000, "cash", 1), ("add", 1000, "cash", 1)] + [
        ("pay", 100, "takings", -1)] * (OPERATIONS_A_CARD - 2)
    balance = sum(sign * amount for _, amount, _, sign in steps)
    statements = [
        # The rows refer to each other rightly; to look each of them up would take most of the time.
        "SET session_replication_role = replica", "SET work_mem = '256MB'",
        f"""INSERT INTO card (uid, chip, status, holder_id, holder_name, scratch, face, account, allocated,
                confirmed, is_display_stale, protection, balance, version, last_place, epoch)
            SELECT {UID}, 'NTAG213', 'active', n, 'Card Holder ' || n, 'unscratched', 'tapcard', 1,
                {len(steps)}, {len(steps)}, FALSE, 'off', {balance}, 1,
                ({begun} - 1000) * 1000, 1 FROM {numbers}"""]
    after = 0
    for k, (kind, amount, other, sign) in enumerate(steps, start=1):
        ident = ID.format(k)
        after += sign * amount
        when = f"({begun} - 1000000000 + ({k - 1} * {cards}::bigint + n) * 900000000 / ({len(steps)} * {cards}::bigint))"
        place = f"({when} * 1000 + n % 1000)"
        statements += [
            f"INSERT INTO request_id (id, uid, is_attempt) SELECT {ident}, {UID}, FALSE FROM {numbers}",
            f"""INSERT INTO operation (id, uid, kind, amount, begun_at, state, sequence, ended_at, balance_after, place)
                SELECT {ident}, {UID}, '{kind}', {amount}, {when}, 'committed', {k}, {when}, {after}, {place}
                FROM {numbers}""",
            f"""INSERT INTO entry (uid, operation, place, purse, number, house, station, amount, posted_at)
                SELECT {UID}, {ident}, {place} * 2 + side, CASE side WHEN 0 THEN {UID} END,
                    CASE side WHEN 0 THEN 1 END, CASE side WHEN 1 THEN '{other}' END, 0,
                    CASE side WHEN 0 THEN {sign * amount} ELSE {-sign * amount} END, {when}
                FROM {numbers}, generate_series(0, 1) AS side""",
            f"""INSERT INTO issued_record (uid, sequence, bytes, operation, key_id)
                SELECT {UID}, {k}, uuid_send(gen_random_uuid()), {ident}, 1 FROM {numbers}""",
            f"""INSERT INTO house (account, station, balance) VALUES ('{other}', 0, {-sign * amount * cards})
                ON CONFLICT (account, station, part) DO UPDATE SET balance = house.balance + {-sign * amount * cards}"""]
    server.sql(database, *statements)
    # As the server does by itself in the end.
    server.sql(database, "VACUUM (ANALYZE, FREEZE)")
    server.sql(database, "CHECKPOINT")


class Owner:
    def __init__(self, tapcard, folder):
        self.tapcard = tapcard
        self.env = {"HOME": folder, "PATH": "/usr/bin:/bin", "TZ": "UTC"}

    def run(self, *words):
        """Processor seconds, the largest resident set in MiB, and what was printed."""
        with tempfile.TemporaryFile() as output:
            child = os.posix_spawn(self.tapcard, [self.tapcard, *words], self.env, file_actions=[
                (os.POSIX_SPAWN_DUP2, output.fileno(), 1)])
            _, status, usage = os.wait4(child, 0)
            if os.waitstatus_to_exitcode(status) != 0:
                sys.exit(f"tapcard {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
            output.seek(0)
            return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read().decode()


def audit(server, owner, address):
    before = server.seconds()
    start = time.monotonic()
    client, mib, said = owner.run("--ledger", address, "--json", "audit")
    report = json.loads(said)
    if report["violations"]:
        sys.exit(f"the audit found {report['violations'][:3]}")
    return client, server.seconds() - before, time.monotonic() - start, mib, report["operations"]


def payments(server, benchmarks, address):
    """Milliseconds of a payment at the client's processor, at the server's, and on the clock."""
    before = server.seconds()
    said = subprocess.run([benchmarks, "payments", address, str(PAYMENTS)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    client, median = (float(word) for word in said.split())
    return client, (server.seconds() - before) * 1000 / PAYMENTS, median


def measure(server, owner, benchmarks, counts):
    isRight = True
    addresses = []
    for cards in counts:
        database = f"issuer_{cards}"
        server.sql("postgres", f"CREATE DATABASE {database}")
        address = server.address(database)
        owner.run("--ledger", address, "ledger", "init", "--currency", "USD")
        subprocess.run([benchmarks, "payments", address, "1"], check=True, stdout=subprocess.DEVNULL)
        grow(server, database, cards - 1)
        addresses.append(address)
    print(f"Payments, {ROUNDS} times {PAYMENTS} in each ledger in turn; medians of processor time in milliseconds\n")
    rounds = {address: [] for address in addresses}
    for _ in range(ROUNDS):
        for address in addresses:
            rounds[address].append(payments(server, benchmarks, address))
    medians = {address: [statistics.median(column) for column in zip(*rows)] for address, rows in rounds.items()}
    first = sum(medians[addresses[0]][:2])
    rows = []
    for cards, address in zip(counts, addresses):
        client, served, clock = medians[address]
        ratio = (client + served) / first
        isRight = isRight and ratio <= MOST_OF_A_PAYMENT
        rows.append([cards, cards * OPERATIONS_A_CARD, f"{client:.3f}", f"{served:.3f}", f"{ratio:.3f}",
                     f"{clock:.2f}", "" if ratio <= MOST_OF_A_PAYMENT else "TOO MUCH"])
    table(["cards", "operations", "client", "server", "to the smallest", "on the clock", ""], rows)
    print("\nAudits: processor seconds, and the client's memory\n")
    rows = []
    for cards, address in zip(counts, addresses):
        client, served, clock, mib, operations = audit(server, owner, address)
        isRight = isRight and mib <= MOST_MIB
        rows.append([cards, operations, f"{client:.1f}", f"{served:.1f}",
                     f"{(client + served) / operations * 1e6:.1f}", f"{clock:.1f}", f"{mib:.0f}",
                     "" if mib <= MOST_MIB else "TOO MUCH"])
    table(["cards", "operations", "client, s", "server, s", "us an operation", "on the clock, s", "memory, MiB", ""],
          rows)
    return isRight


def move(server, owner, folder):
    """Moves a file of many cards into a database; the program compares both audits and all balances."""
    source = f"{folder}/moved.sqlite"
    owner.env |= {"XDG_DATA_HOME": f"{folder}/moving", "TAPCARD_READER": "sim"}
    owner.run("--ledger", source, "demo")
    owner.run("--ledger", source, "add", "1")
    subprocess.run([sys.executable, growth.__file__, "--grow", source, str(CARDS_TO_MOVE - 1)], check=True)
    server.sql("postgres", "CREATE DATABASE moved")
    address = server.address("moved")
    start = time.monotonic()
    client, mib, said = owner.run("ledger", "copy", source, "--into", address)
    print(f"\nA file of {CARDS_TO_MOVE} cards and {CARDS_TO_MOVE * growth.OPERATIONS_A_CARD} operations was moved in "
          f"{time.monotonic() - start:.0f} s: {client:.0f} s of the client's processor, {mib:.0f} MiB of memory")
    print("  " + said.strip().replace("\n", "\n  ").replace(folder, "FOLDER"))
    audit(server, owner, address)


def main(tapcard, benchmarks, *counts):
    counts = [int(count) for count in counts] or [1_000, 1_000_000]
    with tempfile.TemporaryDirectory(prefix="tapcard-stations-") as folder:
        server = Server(folder)
        try:
            owner = Owner(os.path.abspath(tapcard), folder)
            isRight = measure(server, owner, os.path.abspath(benchmarks), counts)
            move(server, owner, folder)
        finally:
            server.stop()
    print(f"\nA payment costs at most {MOST_OF_A_PAYMENT} times as much as in the smallest ledger; an audit stays "
          f"within {MOST_MIB} MiB.")
    sys.exit(0 if isRight else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
