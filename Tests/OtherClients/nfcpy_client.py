"""Drives a PN532 on any terminal through nfcpy, which by itself only looks at /dev/tty*.

    nfcpy_client.py DEVICE read          prints the card's NDEF message in hexadecimal digits
    nfcpy_client.py DEVICE write HEX     writes an NDEF message
    nfcpy_client.py DEVICE pages FIRST COUNT
                                         prints pages as the tag gives them
"""

import sys

import nfc.clf
import nfc.clf.pn532
import nfc.clf.transport
import nfc.tag


class Terminal(nfc.clf.transport.TTY):
    """The search of nfcpy's own ContactlessFrontend is what does not know our terminal."""


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
            first, count = int(words[0]), int(words[1])
            pages = b"".join(tag.read(page)[:4] for page in range(first, first + count))
            print(pages.hex().upper())
        elif action == "name":
            print(tag.product)
        else:
            sys.exit(__doc__)
    finally:
        clf.close()


main(*sys.argv[1:])
