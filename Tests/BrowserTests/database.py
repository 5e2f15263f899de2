"""A PostgreSQL server for one test, with an issuer's ledger, reached by a socket in its folder."""

import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time

from till import TAPCARD

# PostgreSQL refuses to run as root; this unprivileged user has the same number on every Debian.
UNPRIVILEGED = 65534
PAUSE = 0.02
LIMIT = 60


class TestIssuer:
    """The server, and one till's login there."""

    def __init__(self, currency="USD"):
        self.folder = tempfile.mkdtemp(prefix="tapcard-issuer-")
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.user = {}
        if os.geteuid() == 0:
            os.chown(self.folder, UNPRIVILEGED, UNPRIVILEGED)
            self.user = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []}
        self._run("initdb", "--pgdata", self._data, "--username", "owner", "--auth", "trust",
                  "--encoding", "UTF8", "--locale", "C", "--no-sync")
        with open(f"{self._data}/pg_hba.conf", "w", encoding="utf-8") as file:
            file.write("local all owner trust\nlocal all all scram-sha-256\n")
        self.server = None
        self.start()
        self._run("createdb", "--host", self.folder, "--username", "owner", "issuer")
        # The till reads its password from a file, which it must own.
        self.home = tempfile.mkdtemp(prefix="tapcard-owner-")
        self._own("ledger", "init", "--currency", currency)
        self._own("servers", "add", "till", f"{self.home}/pgpass")
        self.address = self._address("till")
        self.settings = {"PGPASSFILE": f"{self.home}/pgpass"}

    @property
    def _data(self):
        return f"{self.folder}/data"

    def _address(self, user):
        return f"postgresql:///issuer?host={self.folder}&user={user}"

    def _run(self, program, *words):
        subprocess.run([f"{self.programs}/{program}", *words], check=True, timeout=LIMIT,
                       stdout=subprocess.DEVNULL, cwd=self.folder, **self.user)

    def _own(self, *words):
        subprocess.run(
            [TAPCARD, "--ledger", self._address("owner"), *words], check=True, timeout=LIMIT,
            stdout=subprocess.DEVNULL, env={"HOME": self.home, "PATH": "/usr/bin:/bin"})

    def start(self):
        """Starts the server, or restarts it with its data."""
        with open(f"{self.folder}/log", "a", encoding="utf-8") as log:
            self.server = subprocess.Popen(
                [f"{self.programs}/postgres", "-D", self._data, "-k", self.folder,
                 "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=64MB"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self.user)
        end = time.monotonic() + LIMIT
        while subprocess.run([f"{self.programs}/pg_isready", "--host", self.folder],
                             stdout=subprocess.DEVNULL, check=False).returncode:
            if self.server.poll() is not None or time.monotonic() > end:
                raise AssertionError("postgres did not begin")
            time.sleep(PAUSE)

    def stop(self):
        """Stops immediately, as far as its clients can tell."""
        self.server.send_signal(signal.SIGQUIT)
        self.server.wait(LIMIT)

    def close(self):
        if self.server.poll() is None:
            self.stop()
        shutil.rmtree(self.folder)
        shutil.rmtree(self.home)
