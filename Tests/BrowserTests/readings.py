"""Genuine and forged tags and cards, made in the simulation's file while the server is down, as
people with their own chips could make them."""

import contextlib
import os
import re
import shutil
import tempfile

HEADING = "tapcard chip "
# The factory keys of a chip, and keys that no station has.
FACTORY, FOREIGN = "0" * 32, "7" * 32


class Drawer:
    """A till's simulated reader, with its file."""

    def __init__(self, till):
        self.till = till
        self.data = self.data_of(till.home)
        self.path = f"{self.data}/simulation.txt"

    @staticmethod
    def data_of(home):
        return f"{home}/.local/share/tapcard/simulated"

    def new_path(self):
        return f"{tempfile.mkdtemp(dir=self.till.home)}/new"

    @contextlib.contextmanager
    def opened(self):
        """Stops the server, so that nobody else uses the file."""
        self.till.server.stop()
        try:
            yield self
        finally:
            self.till.start()

    def text(self):
        with open(self.path, encoding="ascii") as file:
            return file.read()

    def chip(self, uid):
        """The lines of the NTAG 424 with this UID."""
        return next(part for part in self.text().split(HEADING) if f"uid: {uid}\n" in part)

    def put_back(self, uid, lines):
        text = self.text().replace(self.chip(uid), lines)
        with open(self.path, "w", encoding="ascii") as file:
            file.write(text)

    def change(self, uid, pattern, replacement):
        """Replaces the matches in this chip's lines."""
        lines, count = re.subn(f"(?m)^{pattern}$", replacement, self.chip(uid))
        assert count, pattern
        self.put_back(uid, lines)

    def elsewhere(self, *commands, sharing=False):
        """Replaces our tags with those of another station on which these commands were run. Stations
        that share have the same keys and ledger."""
        other = tempfile.mkdtemp(dir=self.till.home)
        if sharing:
            shutil.copytree(self.data, self.data_of(other), dirs_exist_ok=True)
        for words in commands:
            self.till.run(*words, HOME=other)
        shutil.copy(f"{self.data_of(other)}/simulation.txt", self.path)


def card(till, chip, balance="12.50"):
    till.put(chip)
    return till.make_demo(balance)


def factory_clone(drawer):
    """A factory-fresh chip that was given a card's UID."""
    uid = card(drawer.till, "NTAG424")
    with drawer.opened():
        drawer.change(uid, r"key-(\d): .*", rf"key-\1: {FACTORY} 0 0 0 0")


def clone(drawer):
    """A chip with a card's UID and key versions, but with other keys."""
    uid = card(drawer.till, "NTAG424")
    with drawer.opened():
        drawer.change(uid, r"key-(\d): \w+ (.*)", rf"key-\1: {FOREIGN} \2")


def old_chip(drawer):
    """A chip with everything that was on it before a payment."""
    uid = card(drawer.till, "NTAG424")
    old = drawer.chip(uid)
    for _ in range(3):
        drawer.till.call("POST", "pay", {"amount": "1.00"})
    with drawer.opened():
        drawer.put_back(uid, old)


def forged_chip(drawer):
    """A card with a record under the genuine key that this ledger did not issue."""
    uid = card(drawer.till, "NTAG424")
    ours = drawer.chip(uid)
    with drawer.opened():
        drawer.elsewhere(("pay", "2.00"), sharing=True)
        theirs = drawer.chip(uid)
        drawer.put_back(uid, ours)
    drawer.till.call("POST", "pay", {"amount": "1.00"})
    with drawer.opened():
        drawer.put_back(uid, theirs)


def chip_of_another_issuer(drawer, version=9):
    """A chip with foreign keys, whose version either matches a key here or does not."""
    drawer.till.put("NTAG424")
    uid = drawer.till.tags()[-1]["uid"]
    with drawer.opened():
        drawer.change(uid, r"key-(\d): .*", rf"key-\1: {FOREIGN} {version} 0 0 0")


def other_issuer_with_our_version(drawer):
    # Key 1 of every issuer has version 2 on its chips.
    chip_of_another_issuer(drawer, 2)


def card_with_foreign_keys(drawer):
    """A card in this ledger whose keys have a version that no key here has."""
    uid = card(drawer.till, "NTAG424")
    with drawer.opened():
        drawer.change(uid, r"key-(\d): .*", rf"key-\1: {FOREIGN} 9 0 0 0")


def dead_key(drawer, number=3):
    """A card whose key for payments or top-ups somebody disabled with a thousand wrong attempts."""
    uid = card(drawer.till, "NTAG424")
    with drawer.opened():
        drawer.change(uid, rf"key-{number}: (\w+ \d+) .*", rf"key-{number}: \1 1000 0 0")
    return uid


def dead_load_key(drawer):
    return dead_key(drawer, 4)


def fixed_grant(drawer):
    """A card whose grant no station can write anymore, as somebody with its first key can
    arrange."""
    uid = card(drawer.till, "NTAG424")
    with drawer.opened():
        drawer.change(uid, r"settings-2: (..)....(.*)", r"settings-2: \g<1>00E0\g<2>")
    return uid


def unwritable(drawer):
    """A card whose records no station can write anymore."""
    uid = card(drawer.till, "NTAG424")
    with drawer.opened():
        drawer.change(uid, r"settings-3: .*", "settings-3: 03F03F")
    return uid


def untrue_signature(drawer):
    """A blank tag that claims to be an NTAG213 but has no valid signature from the manufacturer."""
    drawer.till.put("NTAG213")
    with drawer.opened():
        text, count = re.subn(r"(?m)^signature: 0+$", "signature: " + "07" * 32, drawer.text())
        assert count, "signature"
        with open(drawer.path, "w", encoding="ascii") as file:
            file.write(text)


def locked_tag(drawer):
    """A blank tag whose lock bits somebody set."""
    with drawer.opened():
        text = re.sub(r"(?m)^(page 02: .. ..) .. ..$", r"\1 FF FF", drawer.text(), count=1)
        with open(drawer.path, "w", encoding="ascii") as file:
            file.write(text)


def other_issuer(drawer):
    """Another issuer's card on an NTAG21x, under a key with the same number as ours."""
    with drawer.opened():
        drawer.elsewhere(("demo",))


def other_key(drawer):
    """A card on an NTAG21x, under a key whose number no key here has."""
    with drawer.opened():
        drawer.elsewhere(("init", "--currency", "USD"), ("keys", "rotate"), ("demo",))


def copied_pages(drawer):
    """A card's pages on another tag."""
    till = drawer.till
    card(till, "NTAG213")
    dump = drawer.new_path()
    with drawer.opened():
        till.run("tag", "dump", dump)
        till.run("sim", "put", "NTAG213")
        till.run("tag", "restore", dump, "--overwrite")


def old_pages(drawer):
    """A card with the pages that it had before a payment."""
    till = drawer.till
    card(till, "NTAG213")
    dump = drawer.new_path()
    with drawer.opened():
        till.run("tag", "dump", dump)
    for _ in range(3):
        till.call("POST", "pay", {"amount": "1.00"})
    with drawer.opened():
        till.run("tag", "restore", dump, "--overwrite")


def ahead(drawer, chip="NTAG424"):
    """A card that was charged after the ledger was copied."""
    card(drawer.till, chip)
    with drawer.opened():
        drawer.elsewhere(*[("pay", "1.00")] * 3, sharing=True)
