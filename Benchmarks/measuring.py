"""What the benchmarks of whole programs share."""

import os
import re
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


def share_of_core(ticks_used, seconds):
    """In per cent."""
    return ticks_used / os.sysconf("SC_CLK_TCK") / seconds * 100


def resident_kib(process):
    with open(f"/proc/{process}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
