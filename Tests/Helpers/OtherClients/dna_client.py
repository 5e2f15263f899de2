"""Drives an NTAG 424 on a PN532 through other projects' libraries, on nfcpy.

    dna_client.py DEVICE pylibsdm NEW-KEY    authenticates with the factory's key, reads and changes
                                             settings, and changes the application key
    dna_client.py DEVICE sphragis            authenticates, sets the mirrors, writes the address
    dna_client.py DEVICE address             verifies the address that a phone would read, twice

The address has three values: who the card is, encrypted data, and the code over both.
"""

import sys

# Importing the file next to this one would leave a folder among the sources.
sys.dont_write_bytecode = True

from pylibsdm.tag.ntag424dna.structs import (
    AccessCondition, AccessRights, CommMode, FileOption, FileSettings)
from pylibsdm.tag.ntag424dna.tag import NTAG424DNA
from sphragis import apdu, diversify, ev2, sdm, sdmenc

from nfcpy_client import activated, frontend

FACTORY = bytes(16)
START = b"https://example.org/c?p="
# After the length of the message and the header of its record.
HEAD = 7
IDENTITY = HEAD + len(START)
DATA = IDENTITY + 32 + 3
CODE = DATA + 64 + 3


class Pipe:
    """What sphragis calls a transport."""

    def __init__(self, tag):
        self.tag = tag

    def transceive(self, command):
        return bytes(self.tag.transceive(bytes(command)))


def pylibsdm(tag, new_key):
    chip = NTAG424DNA(tag)
    chip.authenticate_ev2_first(0)
    settings = chip.get_file_settings(1)
    print("size", settings.file_size, settings.file_option.comm_mode.value)
    free = FileSettings(
        file_option=FileOption(sdm_enabled=False, comm_mode=CommMode.PLAIN),
        access_rights=AccessRights(
            read=AccessCondition.FREE_ACCESS, write=AccessCondition.KEY_4,
            read_write=AccessCondition.KEY_0, change=AccessCondition.KEY_0))
    chip.change_file_settings(1, free)
    print("rights", chip.get_file_settings(1).access_rights.to_bytes().hex())
    chip.change_key(0, new_key, 7)
    chip.set_key(0, new_key)
    chip.authenticate_ev2_first(0)
    print("new key", chip.get_file_settings(2).file_size)


def sphragis(tag):
    pipe = Pipe(tag)
    apdu.parse_response(pipe.transceive(apdu.select_ndef_app()))
    address = (
        START + b"0" * 32 + b"&d=" + bytes(range(32)) + b"0" * 32 + b"&m=" + b"0" * 16)
    record = bytes([0, len(address) + 5, 0xD1, 1, len(address) + 1, 0x55, 0]) + address
    for place in range(0, len(record), 100):
        part = record[place:place + 100]
        header = b"\x02" + place.to_bytes(3, "little") + len(part).to_bytes(3, "little")
        ev2.native_exchange(pipe, 0x8D, header + part)
    session = ev2.authenticate_ev2_first(pipe, 0, FACTORY)
    before = session.send_mac(ev2.INS_GET_FILE_SETTINGS, b"\x02")
    print("settings", before.hex())
    offsets = [IDENTITY, IDENTITY, DATA, 64, CODE]
    settings = bytes.fromhex("4000E0D1FF12") + b"".join(o.to_bytes(3, "little") for o in offsets)
    session.send_full(ev2.INS_CHANGE_FILE_SETTINGS, b"\x02", settings)
    print("counter", session.cmd_ctr)


def address(tag):
    pipe = Pipe(tag)
    for _ in range(2):
        for command in (apdu.select_ndef_app(), apdu.select_file(0xE104)):
            apdu.parse_response(pipe.transceive(command))
        content = b"".join(
            apdu.parse_response(pipe.transceive(apdu.read_binary(place, 100))).data
            for place in (0, 100))
        identity = content[IDENTITY:IDENTITY + 32]
        data = content[DATA:DATA + 64]
        code = content[CODE:CODE + 16]
        card = sdm.decrypt_picc_data(bytes.fromhex(identity.decode()), FACTORY)
        expected = sdm.compute_sdmmac(
            FACTORY, card.uid, card.read_counter, identity + b"&d=" + data + b"&m=")
        if expected.hex().upper().encode() != code:
            sys.exit("the code is wrong")
        plain = sdmenc.decrypt_file_data(
            FACTORY, card.uid, card.read_counter, bytes.fromhex(data.decode()))
        print("verified", card.uid.hex().upper(), card.read_counter, plain.hex().upper())
    print("key", diversify.diversify_key(FACTORY, bytes(range(18))).hex().upper())


def main(path, action, *words):
    clf = frontend(path)
    try:
        tag = activated(clf)
        if action == "pylibsdm":
            pylibsdm(tag, bytes.fromhex(words[0]))
        elif action == "sphragis":
            sphragis(tag)
        elif action == "address":
            address(tag)
        else:
            sys.exit("no such action")
    finally:
        clf.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
