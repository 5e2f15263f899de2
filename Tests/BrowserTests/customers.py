"""The customer page under test: a station with a card, and the server for the page."""

import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from till import END_LIMIT, ROOT, TAPCARD, Program

# Generates the address that a card's chip would produce at the next read.
CHIP = os.path.abspath(os.environ.get("TAP_ADDRESS", f"{ROOT}/.build/release/TapAddress"))
UID = "04AC6B72BA6C80"


class Customers:
    """A card with money and a few movements, and `tapcard serve --no-till` on a free port."""

    def __init__(self, *options):
        self.home = tempfile.mkdtemp(prefix="tapcard-customers-")
        self.log = open(f"{self.home}/log", "w+")
        self.environment = {
            "HOME": self.home, "PATH": "/usr/bin:/bin", "TZ": "UTC", "TAPCARD_READER": "sim",
            **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}}
        self.keys = f"{self.home}/customer-keys.json"
        self.run("issue", "--name", "Amanda", "--balance", "20")
        self.run("pay", "4.50")
        self.run("add", "150")
        self.run("keys", "customers", self.keys)
        self.reads = 0
        self.server = Program(
            ["serve", "--no-till", "--customers", "127.0.0.1:0", "--customers-keys", self.keys,
             *options], self.environment, self.log)
        self.url = self.server.first_line.split()[-1]

    def close(self):
        if self.server.process.returncode is None:
            self.server.stop()
        self.log.close()
        shutil.rmtree(self.home)

    def run(self, *words):
        subprocess.run([TAPCARD, *words], env=self.environment, check=True, timeout=END_LIMIT,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)

    def tap(self):
        """The address that a phone gets when the card is tapped on it."""
        self.reads += 1
        query = subprocess.run([CHIP, self.keys, UID, str(self.reads)], check=True, text=True,
                               capture_output=True, timeout=END_LIMIT).stdout.strip()
        return f"{self.url}?{query}"

    def ask(self, address, body=None):
        """Status and text, as a program that is not a browser gets them."""
        request = urllib.request.Request(
            address, None if body is None else urllib.parse.urlencode(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=END_LIMIT) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
