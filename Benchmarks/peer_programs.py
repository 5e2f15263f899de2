"""The programs that peers.py measures: what each is asked to do, and how to see that it did it."""

import json
import re
import subprocess

from measuring import PYTHON, ROOT

NFCPY = f"{ROOT}/Tests/Helpers/OtherClients/nfcpy_client.py"
SECONDS_LIMIT = 120
# The user pages of an NTAG213, and those that libfreefare can name: it knows the tag as an Ultralight.
USER_PAGES = range(4, 40)
ULTRALIGHT_PAGES = range(4, 16)
# Two pages that every peer can write.
FIRST_WRITTEN = 12
DATA = b"8 bytes!"


class Failure(Exception):
    """A program did not do what its row says."""


class Tag:
    """The pages of a dump."""

    def __init__(self, text):
        self.text = text
        self.pages = {
            int(number, 16): bytes.fromhex(digits)
            for number, digits in re.findall(r"(?m)^page ([0-9A-F]{2}): ([0-9A-F ]{11})$", text)}

    def bytes(self, pages=USER_PAGES):
        return b"".join(self.pages[page] for page in pages)

    def with_data(self):
        text = self.text
        for number in range(len(DATA) // 4):
            page = FIRST_WRITTEN + number
            digits = DATA[4 * number:4 * number + 4].hex(" ").upper()
            text = re.sub(f"(?m)^page {page:02X}: .*$", f"page {page:02X}: {digits}", text)
        return Tag(text)

    def raw(self):
        """As nfc-mfultralight keeps a tag."""
        return self.bytes(range(len(self.pages)))


class Program:
    """A row: the commands that do one task, and how to see that they did it."""

    def __init__(self, name, meaning, commands, check, is_peer=True, answers=""):
        self.name = name
        self.meaning = meaning
        self.commands = commands
        self.check = check
        # Only a peer that does the whole task is what others are compared with.
        self.is_peer = is_peer
        self.answers = answers


def is_read(pages):
    """The last output, in hexadecimal digits, is what these pages hold."""
    def check(place, outputs):
        if bytes.fromhex(outputs[-1]) != place.before.bytes(pages):
            raise Failure("printed something else than the tag holds")
        is_unchanged(place, outputs)
    return check


def is_unchanged(place, outputs):
    if place.tag().bytes() != place.before.bytes():
        raise Failure("changed the tag")


def is_dumped(place, outputs):
    with open(f"{place.folder}/dump.txt") as file:
        if Tag(file.read()).bytes() != place.before.bytes():
            raise Failure("kept something else than the tag holds")
    is_unchanged(place, outputs)


def is_kept_raw(place, expected):
    with open(f"{place.folder}/read.mfd", "rb") as file:
        read = file.read()
    if read[4 * USER_PAGES.start:4 * USER_PAGES.stop] != expected.bytes():
        raise Failure("kept something else than the tag holds")


def is_card_read(place, outputs):
    card = json.loads(outputs[-1])
    if (card["result"], card["seal"], card["balance"]) != ("done", "valid", "20.00"):
        raise Failure("read another card")
    is_unchanged(place, outputs)


def is_written(place, outputs):
    if place.tag().bytes() != place.before.with_data().bytes():
        raise Failure("the tag does not hold what was to be written")


def is_written_and_kept(place, outputs):
    is_written(place, outputs)
    is_kept_raw(place, place.before.with_data())


def is_paid(tapcard):
    def check(place, outputs):
        if json.loads(outputs[-1])["balance"] != "15.50":
            raise Failure("paid something else")
        if place.tag().bytes() == place.before.bytes():
            raise Failure("wrote nothing")
        read = subprocess.run(
            [tapcard, "read", "--json"], env=place.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, check=True, text=True, timeout=SECONDS_LIMIT).stdout
        card = json.loads(read)
        if (card["seal"], card["balance"]) != ("valid", "15.50"):
            raise Failure("the card is not worth what was left")
    return check


def tasks(tapcard, library, freefare):
    """The three tasks with their rows."""
    first, count = str(USER_PAGES.start), str(len(USER_PAGES))
    written = [str(FIRST_WRITTEN), DATA.hex()]

    def by_nfcpy(*words):
        return lambda place: [[PYTHON, NFCPY, place.device, *words]]

    def by_library(*words):
        return lambda place: [[library, place.reader.name, *words]]

    def by_freefare(*words):
        return lambda place: [[freefare, *words]]

    def by_tool(*actions):
        """Its file has the whole tag: what is to be written, or what it reads."""
        return lambda place: [
            ["nfc-mfultralight", action, f"{place.folder}/{name}.mfd"] for action, name in actions]

    no_to_each_question = "n\n" * 8
    reading = [
        Program("tapcard read", "the card, and what the ledger says about it, as JSON",
                lambda place: [[tapcard, "read", "--json"]], is_card_read, is_peer=False),
        Program("tapcard tag dump", "all 45 pages and the signature, to a file",
                lambda place: [[tapcard, "tag", "dump", f"{place.folder}/dump.txt"]], is_dumped,
                is_peer=False),
        Program("tapcard's library", "36 user pages by the procedure of every tap",
                by_library("read", first, count), is_read(USER_PAGES), is_peer=False),
        Program("nfc-mfultralight r", "all 45 pages, to a file", by_tool(("r", "read")),
                lambda place, outputs: (
                    is_kept_raw(place, place.before), is_unchanged(place, outputs))),
        Program("nfcpy", "36 user pages, four a READ", by_nfcpy("pages", first, count),
                is_read(USER_PAGES)),
        Program("libfreefare", "12 user pages, as if the tag were an Ultralight",
                by_freefare("read", first, str(len(ULTRALIGHT_PAGES))), is_read(ULTRALIGHT_PAGES),
                is_peer=False),
    ]
    writing = [
        Program("tapcard's library", "two WRITEs", by_library("write", *written), is_written,
                is_peer=False),
        Program("nfc-mfultralight w", "36 user pages and four of the configuration, from a file",
                by_tool(("w", "written")), is_written, answers=no_to_each_question),
        Program("nfcpy", "two WRITEs", by_nfcpy("write-pages", *written), is_written),
        Program("libfreefare", "two WRITEs", by_freefare("write", *written), is_written),
    ]
    verifying = [
        Program("tapcard pay", "record and text for phones, read back, and two transactions",
                lambda place: [[tapcard, "pay", "4.50", "--json"]], is_paid(tapcard),
                is_peer=False),
        Program("tapcard tag restore", "the pages that differ; all user pages read before and after",
                lambda place: [[tapcard, "tag", "restore", "--overwrite",
                                f"{place.folder}/written.txt"]], is_written, is_peer=False),
        Program("tapcard's library", "two WRITEs, read back",
                by_library("verify", *written), is_written, is_peer=False),
        Program("nfc-mfultralight w, r", "as w, then as r: two programs",
                by_tool(("w", "written"), ("r", "read")), is_written_and_kept,
                answers=no_to_each_question),
        Program("nfcpy", "two WRITEs, read back",
                by_nfcpy("verify-pages", *written), is_written),
        Program("libfreefare", "two WRITEs, read back",
                by_freefare("verify", *written), is_written),
    ]
    return [("read", reading), ("write of 8 bytes", writing), ("verified write", verifying)]
