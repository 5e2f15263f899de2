"""Runs the tests in one browser more than there are processors, each class in sequence."""

import argparse
import faulthandler
import io
import itertools
import os
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

# More browsers would wait for each other, however many processors the machine reports.
MOST_BROWSERS = 4
# A run that takes longer hangs; it ends here and prints where each of its threads is.
LONGEST_RUN = 2400
HERE = os.path.dirname(os.path.abspath(__file__))


def tests_in(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from tests_in(each)
        else:
            yield each


def run(tests):
    """Runs these tests, prints their output if any failed, and returns the result."""
    words = io.StringIO()
    result = unittest.TextTestRunner(stream=words, verbosity=0).run(unittest.TestSuite(tests))
    if not result.wasSuccessful():
        print(words.getvalue(), flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(prog="BrowserTests", description=__doc__)
    parser.add_argument("-k", action="append", default=[], metavar="WORD", dest="words",
                        help="only the tests with this in their names")
    words = parser.parse_args().words
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{word}*" for word in words] or None
    classes = [list(tests) for _, tests in itertools.groupby(
        tests_in(loader.discover(HERE, top_level_dir=HERE)), type)]
    start = time.monotonic()
    faulthandler.dump_traceback_later(LONGEST_RUN, exit=True)
    # A test spends a third of its time waiting.
    with ThreadPoolExecutor(min(os.cpu_count() + 1, MOST_BROWSERS)) as browsers:
        # The longest classes start first, so that nobody waits for them at the end.
        results = list(browsers.map(run, sorted(classes, key=len, reverse=True)))
    faulthandler.cancel_dump_traceback_later()
    count = sum(result.testsRun for result in results)
    skipped = [why for result in results for why in result.skipped]
    for test, why in skipped:
        print(f"skipped: {test}: {why}")
    failed = sum(not result.wasSuccessful() for result in results)
    print(f"{count} tests in a browser, {failed} classes failed, {len(skipped)} skipped, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failed or loader.errors or not count else 0


if __name__ == "__main__":
    sys.exit(main())
