#!/usr/bin/env python3
"""Measures the till page: `tapcard serve` with the simulated reader, asked from outside.

    till.py TAPCARD [PART...]

The parts are arrival, requests, listeners, page, idle and attack; all of them where none is named.
What is compared is measured in turn in the same run, so that a machine on which others work is
busy for both. Medians are printed; the exit status says whether every aim was reached.
"""

import contextlib
import http.client
import json
import os
import random
import re
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

from measuring import ROOT, resident_kib, share_of_core, table, ticks, tree

ARRIVALS = 30
ARRIVAL_MS = 30
CONNECTIONS = 100
ROUNDS = 5
ROUND_SECONDS = 2
LISTENERS = 1000
NEWS = 10
SPREAD_MS = 100
LISTENER_KIB = 30
LOADS = 11
PAGE_KIB = 100
PAINT_MS = 200
IDLE_SECONDS = 10
IDLE_SHARE = 1
IDLE_KIB = 40 << 10
HALF_OPEN = 1000
PAYMENTS = 8
# Until something that never comes is taken for that.
LIMIT = 60


class Till:
    """`tapcard serve` in a home of its own, with the demo card in its drawer."""

    def __init__(self, tapcard):
        self.home = tempfile.mkdtemp(prefix="tapcard-bench-")
        self.environment = {
            "HOME": self.home, "PATH": "/usr/bin:/bin", "TZ": "UTC", "TAPCARD_READER": "sim",
            # No page that is open here is to ask the real services.
            **{f"TAPCARD_{name}_URL": "http://127.0.0.1:9/"
               for name in ("ACTIVATION", "LOTTERY", "MASTERMIND")}}
        self.card = json.loads(subprocess.run(
            [tapcard, "demo", "--json"], env=self.environment, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ).stdout)["uid"]
        self.process = subprocess.Popen(
            [tapcard, "serve"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = re.search(r"http://\S+(?=/)", self.process.stdout.readline()).group()
        self.host, self.port = "127.0.0.1", urllib.parse.urlsplit(self.url).port
        self.token = None
        self.token = self.call("POST", "session", {})["token"]

    def ask(self, method, path, body=None, headers={}):
        """On a connection of its own: one that is kept is closed when nothing is asked for long."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=LIMIT)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer, answer.read()

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        answer, text = self.ask(
            method, f"/api/v1/{path}", None if body is None else json.dumps(body), headers)
        if answer.status != 200:
            sys.exit(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text)

    def put(self):
        self.call("POST", "simulator/put", {"tags": [self.card]})

    def take(self):
        self.call("POST", "simulator/take", {})

    def wait_for_card(self, lies):
        end = time.monotonic() + LIMIT
        while (self.call("GET", "card")["session"] is not None) != lies:
            if time.monotonic() > end:
                sys.exit("the till does not see its reader")
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.home)


class Listener:
    """A page's stream of events."""

    def __init__(self, till):
        self.socket = socket.create_connection((till.host, till.port), timeout=LIMIT)
        self.socket.sendall(
            f"GET /api/v1/events HTTP/1.1\r\nHost: {till.host}:{till.port}\r\n\r\n".encode())
        self.received = b""
        self.wait_for(b"state")

    def wait_for(self, event):
        """Until an event of this name is there as a whole."""
        while not self.take(event):
            self.read()

    def take(self, event):
        """Whether the event is there; what came before it is forgotten with it."""
        found = re.search(rb"event: " + event + rb"\ndata: .*\n\n", self.received)
        if found:
            self.received = self.received[found.end():]
        return found

    def read(self):
        part = self.socket.recv(65536)
        if not part:
            sys.exit("the stream of events has ended")
        self.received += part

    def close(self):
        self.socket.close()


class Verdicts:
    """Figures, the aim of each, and whether it was reached."""

    def __init__(self):
        self.rows = []
        self.are_met = True

    def add(self, what, figure, aim="", is_met=None):
        self.rows.append([what, figure, aim, {None: "", True: "yes", False: "NO"}[is_met]])
        self.are_met = self.are_met and is_met is not False

    def show(self, heading):
        print(f"\n{heading}\n")
        table(["what", "measured", "aim", "met"], self.rows)
        self.rows = []


def milliseconds(start):
    return (time.monotonic() - start) * 1000


def arrival(till, verdicts):
    """From the tag's arrival to the event, beside the read alone.

    The clock starts before the request that puts the tag down is sent, so that it counts the
    request and the change of the simulation too: what is measured is rather too much than too
    little. The read alone is `POST /api/v1/read` with the card on the reader: also a request, and
    the same read. Each arrival is measured beside a read.
    """
    till.take()
    till.wait_for_card(False)
    listener = Listener(till)
    arrivals, reads = [], []
    for _ in range(ARRIVALS):
        # A different moment of whatever interval there is.
        time.sleep(0.2 + random.random() * 0.1)
        start = time.monotonic()
        till.put()
        listener.wait_for(b"card")
        arrivals.append(milliseconds(start))
        start = time.monotonic()
        till.call("POST", "read", {})
        reads.append(milliseconds(start))
        listener.received = b""
        till.take()
        listener.wait_for(b"gone")
    listener.close()
    more = statistics.median(arrivals) - statistics.median(reads)
    verdicts.add("arrival to event, ms", spread(arrivals))
    verdicts.add("the read alone, ms", spread(reads))
    verdicts.add("more than the read, ms", f"{more:.1f}", f"<= {ARRIVAL_MS}", more <= ARRIVAL_MS)
    verdicts.show(f"A tag arrives, {ARRIVALS} times: median (shortest to longest)")


def spread(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


# MARK: Requests


@contextlib.contextmanager
def nginx(program, folder, pages):
    """Debian's nginx as it comes, as this user, with these pages: path -> (headers, bytes)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    locations = ""
    for number, (path, (headers, content)) in enumerate(pages.items()):
        with open(f"{folder}/{number}", "wb") as file:
            file.write(content)
        fields = "".join(
            f'add_header {name} "{quoted(value)}";' for name, value in headers.items())
        locations += f"location = {path} {{ alias {folder}/{number}; default_type ''; {fields} }}\n"
    # Whoever is root would be somebody else in the workers, who may not read here.
    user = "user root;" if os.getuid() == 0 else ""
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(f"""
daemon off; worker_processes auto; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{ worker_connections 1024; }}
http {{
access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; etag off;
client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
server {{ listen 127.0.0.1:{port};
{locations} }} }}
""")
    process = subprocess.Popen(
        [program, "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"],
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + LIMIT
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            if process.poll() is not None or time.monotonic() > end:
                with open(f"{folder}/error.log") as file:
                    sys.exit(f"nginx does not start: {file.read()}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def quoted(value):
    return value.replace("\\", "\\\\").replace('"', '\\"')


def load(url, headers):
    """Requests a second, at so many connections."""
    words = ["wrk", "-c", str(CONNECTIONS), "-t", "2", "-d", str(ROUND_SECONDS)]
    for name, value in headers.items():
        words += ["-H", f"{name}: {value}"]
    printed = subprocess.run(
        words + [url], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    ).stdout
    if "Non-2xx" in printed or "Socket errors" in printed:
        sys.exit(f"not all was answered:\n{printed}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", printed).group(1))


def requests(till, verdicts):
    """Beside nginx, which serves what this server has answered: the same heads and bytes."""
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if not program or not shutil.which("wrk"):
        print("\nRequests a second are not measured: they need nginx and wrk (Debian's packages "
              "nginx-light and wrk; packaging/install-dependencies bench installs them).")
        verdicts.are_met = False
        return
    till.put()
    till.wait_for_card(True)
    cases = [
        ("/", "/", {}), ("/, compressed", "/", {"Accept-Encoding": "gzip, deflate"}),
        ("/api/v1/card", "/api/v1/card", {}),
    ]
    pages = {}
    for number, (_, path, headers) in enumerate(cases):
        answer, content = till.ask("GET", path, headers=headers)
        own = {"date", "content-length", "connection"}
        fields = {name: value for name, value in answer.getheaders() if name.lower() not in own}
        pages[f"/{number}"] = (fields, content)
    folder = f"{till.home}/nginx"
    os.mkdir(folder)
    with nginx(program, folder, pages) as other:
        for number, (name, path, headers) in enumerate(cases):
            port = urllib.parse.urlsplit(other).port
            same = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
            same.request("GET", f"/{number}")
            content = same.getresponse().read()
            same.close()
            if content != pages[f"/{number}"][1]:
                sys.exit(f"nginx does not serve the same at {path}")
            ours, theirs = [], []
            for _ in range(ROUNDS):
                theirs.append(load(f"{other}/{number}", headers))
                ours.append(load(f"{till.url}{path}", headers))
            share = statistics.median(mine / its for mine, its in zip(ours, theirs))
            verdicts.add(f"{name}: nginx", f"{statistics.median(theirs):.0f}")
            verdicts.add(f"{name}: tapcard", f"{statistics.median(ours):.0f}")
            verdicts.add(
                f"{name}: tapcard / nginx", f"{share:.2f}", ">= 0.50", share >= 0.5)
    verdicts.show(
        f"Requests a second at {CONNECTIONS} connections, {ROUNDS} rounds of {ROUND_SECONDS} s in "
        "turn")


# MARK: Listeners


def listeners(till, verdicts):
    """All get the same events; the memory is what the server has grown by while all listen."""
    till.take()
    till.wait_for_card(False)
    first = Listener(till)
    before = resident_kib(till.process.pid)
    crowd = [Listener(till) for _ in range(LISTENERS)]
    spreads = []
    with contextlib.closing(select.epoll()) as epoll:
        for each in crowd:
            each.socket.setblocking(False)
            epoll.register(each.socket, select.EPOLLIN)
        by_descriptor = {each.socket.fileno(): each for each in crowd}
        for number in range(NEWS):
            if number % 2:
                till.take()
            else:
                till.put()
            event = b"gone" if number % 2 else b"card"
            spreads.append(told(epoll, by_descriptor, event))
    grown = resident_kib(till.process.pid) - before
    for each in crowd + [first]:
        each.close()
    middle = statistics.median(spreads)
    verdicts.add(
        "first to last, ms", spread(spreads), f"<= {SPREAD_MS}", middle <= SPREAD_MS)
    each = grown / LISTENERS
    verdicts.add("KiB a listener", f"{each:.1f}", f"<= {LISTENER_KIB}", each <= LISTENER_KIB)
    verdicts.show(
        f"{LISTENERS} listeners, {NEWS} events: from the first to the last who has got it "
        "(this program's own reading included), and what the server has grown by")


def told(epoll, by_descriptor, event):
    """Milliseconds from the first to the last who has got the event."""
    waiting = set(by_descriptor)
    first = None
    while waiting:
        ready = epoll.poll(LIMIT)
        if not ready:
            sys.exit(f"{len(waiting)} of the listeners never got {event}")
        for descriptor, _ in ready:
            each = by_descriptor[descriptor]
            each.read()
            if each.take(event):
                first = first or time.monotonic()
                waiting.discard(descriptor)
    return milliseconds(first)


# MARK: The page

# The first paint, because the largest belongs to the card, whose own time is measured below.
PAINT = """
const done = arguments[arguments.length - 1];
new PerformanceObserver((list) => {
  const paint = list.getEntriesByName("first-contentful-paint")[0];
  if (!paint) return;
  const each = ({name, transferSize}) => [new URL(name).pathname, transferSize];
  done({paint: paint.startTime, shown: window.cardShown,
    answers: [...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource")].map(each)});
}).observe({type: "paint", buffered: true});
"""
# The frame after the one in which the card was drawn.
WATCH = """
new MutationObserver((_, watch) => {
  if (!document.querySelector(".card .balance")) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.cardShown = performance.now(); }));
}).observe(document, {childList: true, subtree: true});
"""


@contextlib.contextmanager
def browser():
    """The browser of the page's own tests."""
    sys.path.append(f"{ROOT}/Tests/BrowserTests")
    from browser import browser as that_of_the_tests
    yield that_of_the_tests()


def file_of(url):
    return urllib.parse.urlsplit(url).path


def named_by(driver):
    """Each file that was asked for since this was asked last -> the file that named it."""
    names = {}
    for entry in driver.get_log("performance"):
        event = json.loads(entry["message"])["message"]
        if event["method"] != "Network.requestWillBeSent":
            continue
        path, cause = file_of(event["params"]["request"]["url"]), event["params"]["initiator"]
        frames = cause.get("stack", {}).get("callFrames", [])
        names.setdefault(path, file_of(cause.get("url") or (frames[0]["url"] if frames else "/")))
    return names


def round_trips(names, path):
    """The row of files of which each was named by the one before."""
    # What a script of the page brings in has no address to name; nor has what the browser looks
    # for.
    before = names[path] if names[path] in names else "/"
    return [path] if path == "/" else round_trips(names, before) + [path]


def load_page(driver, url):
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.get("about:blank")
    driver.get_log("performance")
    driver.get(url)
    time.sleep(1)
    return driver.execute_async_script(PAINT)


def page(till, verdicts):
    """Loaded by a browser that has nothing of it yet, with a card on the reader.

    Beside it, in turn, a page of one line that comes from nowhere: what is painted of that takes
    the browser and the machine, and nothing else.
    """
    till.put()
    till.wait_for_card(True)
    paints, least, shown, sizes, counts, rows, calls = [], [], [], [], [], [], []
    with browser() as driver:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        for number in range(LOADS + 1):
            nothing = load_page(driver, "data:text/html,<p>Tap the card")
            seen = load_page(driver, f"{till.url}/")
            # The first one also starts the browser's own processes.
            if number == 0:
                continue
            files = [size for path, size in seen["answers"] if not path.startswith("/api/")]
            paints.append(seen["paint"])
            least.append(nothing["paint"])
            shown.append(seen["shown"])
            sizes.append(sum(files) / 1024)
            counts.append(len(files))
            calls.append(len(seen["answers"]) - len(files))
            names = named_by(driver)
            rows += [round_trips(names, path) for path in names if not path.startswith("/api/")]
        driver.get("about:blank")
    size, paint = max(sizes), statistics.median(paints)
    verdicts.add(
        "files over the wire, heads included, KiB", f"{size:.1f}", f"<= {PAGE_KIB}",
        size <= PAGE_KIB)
    verdicts.add("requests for files; for the API", f"{max(counts)}; {max(calls)}")
    row = max(rows, key=len)
    # The page has to be there before anybody knows what it names.
    verdicts.add(
        "round trips of the files", f"{len(row)} ({' '.join(row)})", "<= 2",
        len(row) <= 2)
    verdicts.add("first contentful paint, ms", spread(paints), f"< {PAINT_MS}", paint < PAINT_MS)
    verdicts.add("... of a page of one line, ms", spread(least))
    verdicts.add("the card on the reader is shown after, ms", spread(shown))
    verdicts.show(f"The page, loaded {LOADS} times by Chromium with an empty cache")


# MARK: Idle


def idle(till, verdicts):
    """With nobody there; with a card on the reader; with a page open that shows it."""
    till.take()
    till.wait_for_card(False)
    rest(till, verdicts, "empty reader, no page")
    till.put()
    till.wait_for_card(True)
    rest(till, verdicts, "card on the reader, no page")
    with browser() as driver:
        driver.get(f"{till.url}/")
        time.sleep(2)
        rest(till, verdicts, "card on the reader, a page open")
        till.take()
        till.wait_for_card(False)
        rest(till, verdicts, "empty reader, a page open")
        driver.get("about:blank")
    verdicts.show(f"Idle for {IDLE_SECONDS} s")


def rest(till, verdicts, what):
    time.sleep(1)
    processes = tree(till.process.pid)
    before = sum(ticks(process) for process in processes)
    time.sleep(IDLE_SECONDS)
    share = share_of_core(sum(ticks(process) for process in processes) - before, IDLE_SECONDS)
    kib = sum(resident_kib(process) for process in processes)
    verdicts.add(
        f"{what}: % of a core", f"{share:.2f}", f"< {IDLE_SHARE}", share < IDLE_SHARE)
    verdicts.add(
        f"{what}: resident, MiB", f"{kib / 1024:.1f}", f"< {IDLE_KIB >> 10}", kib < IDLE_KIB)


# MARK: Bad weather


def attack(till, verdicts):
    """Payments while many clients have sent half a head, and without, in turn."""
    till.put()
    till.wait_for_card(True)
    till.call("POST", "add", {"amount": "50.00"})
    times = {False: [], True: []}
    for number in range(2 * PAYMENTS):
        is_attacked = number % 2 == 1
        slow = [half_open(till) for _ in range(HALF_OPEN if is_attacked else 0)]
        # All have arrived, and none is cut off yet.
        time.sleep(1)
        start = time.monotonic()
        till.call("POST", "pay", {"amount": "0.05", "again": True})
        times[is_attacked].append(milliseconds(start))
        for each in slow:
            each.close()
        time.sleep(0.2)
    verdicts.add("a payment, ms", spread(times[False]))
    verdicts.add(f"beside {HALF_OPEN} half-open requests, ms", spread(times[True]))
    verdicts.show(f"Payments on the simulated reader, {PAYMENTS} of each in turn")


def half_open(till):
    slow = socket.create_connection((till.host, till.port), timeout=LIMIT)
    slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
    return slow


PARTS = {
    "arrival": arrival, "requests": requests, "listeners": listeners, "page": page, "idle": idle,
    "attack": attack,
}


def main(tapcard, *names):
    for name in names:
        if name not in PARTS:
            sys.exit(f"there is no part {name}: {', '.join(PARTS)}")
    verdicts = Verdicts()
    for name, part in PARTS.items():
        if names and name not in names:
            continue
        # Each with a server of its own: what one part leaves behind is no other part's figure.
        till = Till(os.path.abspath(tapcard))
        try:
            part(till, verdicts)
        finally:
            till.stop()
    sys.exit(0 if verdicts.are_met else 1)


main(*sys.argv[1:])
