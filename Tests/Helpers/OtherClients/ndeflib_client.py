"""Decodes and encodes NDEF messages with ndeflib.

    ndeflib_client.py read FILE         prints what each line of hexadecimal digits means
    ndeflib_client.py make SEED COUNT   prints generated messages, each after what it means

A meaning has one word for each record, and its values as hexadecimal digits.
"""

import random
import sys

import ndef
import ndef.wifi


def digits(value):
    data = value.encode("utf-8") if isinstance(value, str) else bytes(value)
    return data.hex().upper() or "-"


def meaning(record):
    if isinstance(record, ndef.TextRecord):
        return f"text {digits(record.language)} {digits(record.text)}"
    if isinstance(record, ndef.UriRecord):
        return f"uri {digits(record.iri)}"
    if isinstance(record, ndef.SmartposterRecord):
        titles = " ".join(f"{digits(language)} {digits(title)}"
                          for language, title in sorted(record.titles.items()))
        return f"poster {digits(record.resource.iri)} {titles}"
    if isinstance(record, ndef.wifi.WifiSimpleConfigRecord):
        credential = record.get_attribute("credential")
        values = (credential.get_attribute(name).value for name in ("ssid", "network-key"))
        return "wifi " + " ".join(digits(value) for value in values)
    return f"{digits(record.type)} {digits(record.name)} {digits(record.data)}"


LETTERS = "abc XYZ 0189 .,:;-_/?&=%#+ \u00e4\u00df\u20ac\u4e2d\U0001f3ab"


def text(at, count):
    return "".join(at.choice(LETTERS) for _ in range(at.randrange(count)))


def made(at):
    kind = at.randrange(4)
    if kind == 0:
        encoding = at.choice(["UTF-8", "UTF-16"])
        return ndef.TextRecord(text(at, 60), at.choice(["en", "de", "zh-Hans"]), encoding)
    if kind == 1:
        prefix = at.choice(["https://www.", "http://", "tel:", "mailto:", "", "urn:nfc:"])
        path = "".join(at.choice("abc/=&-") for _ in range(40))
        return ndef.UriRecord(prefix + "x.example/" + path)
    if kind == 2:
        poster = ndef.SmartposterRecord("https://example.org/" + str(at.randrange(99)))
        for language in at.sample(["en", "de", "fr"], at.randrange(3)):
            poster.set_title(text(at, 30), language)
        return poster
    name = "" if at.random() < 0.5 else "id" + str(at.randrange(99))
    kinds = ["image/png", "application/json", "urn:nfc:ext:example.com:card", "unknown"]
    data = bytes(at.randrange(256) for _ in range(at.randrange(300 if at.random() < 0.1 else 60)))
    return ndef.Record(at.choice(kinds), name, data)


def main(action, *words):
    if action == "read":
        with open(words[0], encoding="ascii") as file:
            for line in file:
                records = ndef.message_decoder(bytes.fromhex(line))
                print("; ".join(meaning(record) for record in records))
    elif action == "make":
        at = random.Random(int(words[0]))
        for _ in range(int(words[1])):
            records = [made(at) for _ in range(1 + at.randrange(4))]
            print("; ".join(meaning(record) for record in records))
            print(b"".join(ndef.message_encoder(records)).hex().upper())
    else:
        sys.exit(f"unknown action {action}")


if __name__ == "__main__":
    main(*sys.argv[1:])
