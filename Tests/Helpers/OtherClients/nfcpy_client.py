"""Drives a PN532 on any terminal through nfcpy, which by itself only looks at /dev/tty*.

    nfcpy_client.py DEVICE read          prints the card's NDEF message in hexadecimal digits
    nfcpy_client.py DEVICE write HEX     writes an NDEF message
    nfcpy_client.py DEVICE pages FIRST COUNT
                                         prints pages as the tag gives them
    nfcpy_client.py DEVICE write-pages FIRST HEX
                                         writes pages
    nfcpy_client.py DEVICE verify-pages FIRST HEX
                                         writes pages, reads them back and compares
"""

import sys

import nfc.clf
import nfc.clf.pn532
import nfc.clf.transport
import nfc.tag


class Terminal(nfc.clf.transport.TTY):
    """A terminal that is opened directly, because nfcpy's own search would not find it."""

    def read(self, timeout):
        """A busy machine may need longer than the 100 ms in which nfcpy wants an ACK."""
        return super().read(max(timeout, 5000))

    def close(self):
        """nfcpy discards unsent bytes, sometimes the ACK that changes the chip's speed."""
        if self.tty is not None:
            self.tty.close()
            self.tty = None


def frontend(path):
    clf = nfc.clf.ContactlessFrontend()
    clf.device = nfc.clf.pn532.init(Terminal(path))
    clf.device._path = path
    return clf


def activated(clf):
    target = clf.sense(nfc.clf.RemoteTarget("106A"))
    if target is None:
        sys.exit("no tag")
    tag = nfc.tag.activate(clf, target)
    if tag is None:
        sys.exit("no tag that nfcpy knows")
    return tag


def pages(tag, first, count):
    """READ answers with four pages."""
    read = b"".join(bytes(tag.read(page)) for page in range(first, first + count, 4))
    return read[:count * 4]


def write_pages(tag, first, data):
    for place in range(0, len(data), 4):
        tag.write(first + place // 4, data[place:place + 4])


def main(path, action, *words):
    clf = frontend(path)
    try:
        tag = activated(clf)
        if action == "read":
            if tag.ndef is None:
                sys.exit("no NDEF")
            print(tag.ndef.octets.hex().upper())
        elif action == "write":
            if tag.ndef is None:
                sys.exit("no NDEF")
            tag.ndef.octets = bytes.fromhex(words[0])
        elif action == "pages":
            print(pages(tag, int(words[0]), int(words[1])).hex().upper())
        elif action in ("write-pages", "verify-pages"):
            first, data = int(words[0]), bytes.fromhex(words[1])
            write_pages(tag, first, data)
            if action == "verify-pages" and pages(tag, first, len(data) // 4) != data:
                sys.exit("a page holds something else")
        elif action == "name":
            print(tag.product)
        else:
            sys.exit(__doc__)
    finally:
        clf.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
