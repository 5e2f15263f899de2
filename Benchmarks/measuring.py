"""What the benchmarks of whole programs share."""

import json
import os
import re
import socket
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = f"{ROOT}/.build/python/bin/python"


def table(heading, rows):
    widths = [max(len(str(row[i])) for row in [heading] + rows) for i in range(len(heading))]
    for row in [heading, ["-" * width for width in widths]] + rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
    sys.stdout.flush()


def tree(process):
    """A process and those that it started."""
    found = [process]
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/children") as file:
            for child in file.read().split():
                found += tree(int(child))
    return found


def ticks(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def nanoseconds(process):
    """The processor time of all threads that are there."""
    used = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat") as file:
            used += int(file.read().split()[0])
    return used


def share_of_core(ticks_used, seconds):
    """In per cent."""
    return ticks_used / os.sysconf("SC_CLK_TCK") / seconds * 100


def resident_kib(process):
    with open(f"/proc/{process}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


class Reader:
    """`tapcard emulate`, and the lines that it is told."""

    def __init__(self, tapcard, folder, tag="NTAG213"):
        self.link = f"{folder}/reader"
        self.process = subprocess.Popen(
            [tapcard, "emulate", "--tag", tag, "--link", self.link],
            env={"HOME": folder, "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE)
        if not self.process.stdout.readline():
            sys.exit("the emulated reader does not start")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{self.link}.control")
        self.lines = self.socket.makefile("rw")
        self.name = f"pn532_uart:{self.link}"

    def tell(self, line):
        self.lines.write(line + "\n")
        self.lines.flush()
        return json.loads(self.lines.readline())

    def stop(self):
        self.lines.close()
        self.socket.close()
        self.process.terminate()
        # It prints its counters at the end.
        self.process.communicate()


def environment(reader, home):
    return {
        "HOME": home, "PATH": "/usr/bin:/bin", "TAPCARD_READER": reader.name,
        "LIBNFC_DEFAULT_DEVICE": reader.name, "LIBNFC_AUTO_SCAN": "false",
        "LIBNFC_INTRUSIVE_SCAN": "false",
    }


def run(words, env):
    subprocess.run(
        words, env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def without_debug_information(program, folder):
    """The same instructions; what describes them is newer than Debian's valgrind can read."""
    stripped = f"{folder}/{os.path.basename(program)}"
    run(["strip", "--strip-debug", "-o", stripped, program], None)
    return stripped
