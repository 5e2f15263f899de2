"""Plays a USB bus to a program, and plugs and unplugs readers when the program has said a line.

play-usb.py FOLDER PROGRAM [ARGUMENT ...] < script

Each line of the script is one of
    wait TEXT     until the program has printed a line that begins so
    plug NAME     the device described in FOLDER/NAME.umockdev arrives
    unplug NAME   it leaves
    mode M NODE   /dev/NODE has this mode, in octal
    nobody        root's program is run as nobody, who owns no node
The program's lines are passed on. Run it through umockdev-wrapper, so that both see the bus.
"""

import os
import subprocess
import sys

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402


def text(folder, name):
    with open(f"{folder}/{name}.umockdev", encoding="utf-8") as file:
        return file.read()


def paths(description):
    """The device's own path first, those below it afterwards."""
    return ["/sys" + line[3:].strip() for line in description.splitlines() if line.startswith("P: ")]


def main():
    folder, program = sys.argv[1], sys.argv[2:]
    bus = UMockdev.Testbed.new()
    bus.add_from_string(text(folder, "hub"))
    child = None
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        if verb == "wait":
            if child is None:
                child = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
            for said in child.stdout:
                print(said, end="", flush=True)
                if said.startswith(rest):
                    break
            else:
                sys.exit(f"the program ended without saying {rest!r}")
        elif verb == "plug":
            description = text(folder, rest)
            bus.add_from_string(description)
            if child is not None:
                for path in paths(description):
                    bus.uevent(path, "add")
        elif verb == "mode":
            mode, node = rest.split(" ")
            os.chmod(f"{bus.get_root_dir()}/dev/{node}", int(mode, 8))
        elif verb == "nobody":
            if os.geteuid() == 0:
                # The folder of the bus is root's own: nobody has to be let in.
                os.chmod(bus.get_root_dir(), 0o755)
                program = ["setpriv", "--reuid=65534", "--clear-groups", *program]
        elif verb == "unplug":
            for path in reversed(paths(text(folder, rest))):
                bus.uevent(path, "remove")
                bus.remove_device(path)
        else:
            sys.exit(f"{line!r} is no step")
    for said in child.stdout:
        print(said, end="", flush=True)
    sys.exit(child.wait())


main()
