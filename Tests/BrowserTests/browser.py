"""The page as a person sees it, in a real browser without a window. One browser serves many
tests."""

import atexit
import json
import os
import shutil
import tempfile
import threading
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

# Generous: a busy machine is slow, not wrong.
LIMIT = float(os.environ.get("LIMIT", 60))
PAUSE = 0.06
WIDE = (1280, 800)
TABLET = (820, 1180)
NARROW = (390, 844)

FIND = """
const [name, kinds] = arguments;
const words = (it) => (it.getAttribute("aria-label") || it.innerText || "").trim();
const isShown = (it) => it.checkVisibility({ visibilityProperty: true }) && !it.disabled;
const dialog = document.querySelector("dialog[open]");
const all = [...(dialog ?? document).querySelectorAll(kinds)].filter(isShown);
return all.find((it) => words(it) === name)
  ?? all.find((it) => words(it).startsWith(name)) ?? all.find((it) => words(it).includes(name));
"""
# Excludes what is only announced by screen readers.
SHOWN = ("[...document.body.children].filter((part) => !part.matches('#polite, #urgent, noscript, script'))"
         ".map((part) => part.innerText).join('\\n')")
# Amounts that wrap onto two lines or are cut off; invisible text does not count.
BROKEN = """
const broken = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const parent = node.parentElement;
  if (!parent.checkVisibility() || parent.closest(".unseen, script, style, template")) continue;
  for (const { 0: amount, index } of node.data.matchAll(/[+\\u2212]?\\$\\d[\\d.,]*\\d/g)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + amount.length);
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
    if (lines.size > 1) broken.push(`${amount} in "${node.data}"`);
  }
}
if (document.documentElement.scrollWidth > innerWidth) broken.push("scrolls sideways");
return broken;
"""
PRESSED = "button, a, summary, [role=button]"
# What screen readers announce, in order.
LISTEN = """
window.heard = [];
for (const region of document.querySelectorAll("#polite, #urgent")) {
  new MutationObserver(() => { if (region.textContent) heard.push(region.textContent); })
    .observe(region, { childList: true });
}
"""


def _start():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    profile = tempfile.mkdtemp(prefix="tapcard-chromium-")
    for argument in (
            # Without a process for the GPU, which would only imitate one, a test takes a sixth less.
            "--headless=new", "--no-sandbox", "--disable-gpu", "--in-process-gpu",
            "--disable-software-rasterizer", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--force-color-profile=srgb", "--disable-lcd-text",
            "--font-render-hinting=none", "--lang=en-GB", f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(
        options=options, service=Service(shutil.which("chromedriver"), env={**os.environ, "TZ": "UTC"}))

    def stop():
        driver.quit()
        shutil.rmtree(profile, ignore_errors=True)

    atexit.register(stop)
    return driver


_own = threading.local()


def browser():
    """The browser of this thread, used for all of its tests."""
    if not hasattr(_own, "driver"):
        _own.driver = _start()
    return _own.driver


def forget(origin):
    """Clears what a page from an earlier server stored, because a free port may be reused."""
    driver = browser()
    earlier = driver.current_window_handle
    # Session storage belongs to its tab.
    driver.switch_to.new_window("tab")
    fresh = driver.current_window_handle
    driver.switch_to.window(earlier)
    driver.close()
    driver.switch_to.window(fresh)
    driver.execute_cdp_cmd(
        "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"})


class Page:
    """One till's page."""

    def __init__(self, till, size=WIDE, scheme="light", moves=True):
        self.driver = browser()
        self.till = till
        self.look(size, scheme, moves)

    def look(self, size, scheme="light", moves=True):
        command = self.driver.execute_cdp_cmd
        command("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        command("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "no-preference" if moves else "reduce"}]})

    def open(self, view="home", until="Reader ready", at=None):
        """Reopens the page, at the till with this number."""
        place = f"/tills/{at}" if at else ""
        self.driver.get("about:blank")
        self.driver.get(f"{self.till.url}{place}/#/{view}")
        if until:
            self.see(until)

    def go(self, view):
        """Goes to a view as a link on the page would."""
        self.script("location.hash = '#/' + arguments[0]", view)

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, question, *arguments):
        """Waits until the page answers this question with something true."""
        end = time.monotonic() + LIMIT
        while True:
            try:
                answer = self.script(f"return ({question})", *arguments)
            except StaleElementReferenceException:
                # That element never comes back, so the caller has to find its successor.
                raise
            except WebDriverException as error:
                answer, question = None, f"{question} ({error.msg})"
            if answer:
                return answer
            if time.monotonic() > end:
                raise AssertionError(f"never came: {question} {arguments}\n{self.text()[:3000]}")
            time.sleep(PAUSE)

    def text(self):
        return self.script(f"return {SHOWN}")

    def see(self, *words):
        for each in words:
            self.wait(f"{SHOWN}.includes(arguments[0])", each)

    def see_no(self, words):
        self.wait(f"!{SHOWN}.includes(arguments[0])", words)

    def count(self, selector):
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def find(self, name, kinds=PRESSED):
        return self.wait(f"((...given) => {{ {FIND.replace('arguments', 'given')} }})(...arguments)",
                         name, kinds)

    def press(self, name):
        """Presses the control with this name, in the dialog if one is open."""
        end = time.monotonic() + LIMIT
        while True:
            target = self.find(name)
            try:
                self.script("arguments[0].scrollIntoView({ block: 'center' })", target)
                self.come_to_rest(target)
                self.script("window.isPressed = false; arguments[0].addEventListener("
                            "'click', () => { window.isPressed = true }, { capture: true })",
                            target)
                target.click()
                # The value is None if the press led to another page.
                if self.script("return window.isPressed") is not False:
                    return
                # The page replaced the button between press and release.
                if time.monotonic() > end:
                    raise AssertionError(f"{name} cannot be pressed")
            except WebDriverException:
                # It was redrawn, or something moves in front of it.
                if time.monotonic() > end:
                    raise
                time.sleep(PAUSE)

    def tap(self, x, y, at, how="mouse"):
        """Taps there with a finger or a mouse at this time of the page's own clock, in
        milliseconds. Events may carry any time, so that nobody has to wait for it."""
        stamp = (self.script("return performance.timeOrigin") + at) / 1000
        for act in ("Pressed", "Released"):
            if how == "mouse":
                self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                    "type": f"mouse{act}", "x": x, "y": y, "button": "left", "clickCount": 1,
                    "timestamp": stamp})
            else:
                self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
                    "type": {"Pressed": "touchStart", "Released": "touchEnd"}[act],
                    "touchPoints": [{"x": x, "y": y}] if act == "Pressed" else [],
                    "timestamp": stamp})

    def box(self, selector):
        """The first match's place in the window: left, top, right, bottom."""
        return self.script("""
          const { left, top, right, bottom } = document.querySelector(arguments[0])
            .getBoundingClientRect();
          return [left, top, right, bottom];
        """, selector)

    def come_to_rest(self, target):
        """Waits until a control that moves money accepts a press, which it does only after resting
        in place."""
        self.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0])))")
        self.wait("!arguments[0].isConnected || !arguments[0].hasAttribute('data-resting')", target)

    def can_press(self, name):
        return bool(self.script(FIND, name, PRESSED))

    def field(self, label):
        return self.wait(
            "[...document.querySelectorAll('label')].find("
            "(label) => label.innerText.trim() === arguments[0])?.control", label)

    def type(self, label, text):
        """Types over the current text. If the driver cleared the field, the page would not
        notice."""
        field = self.field(label)
        self.script("arguments[0].focus(); arguments[0].select()", field)
        field.send_keys(text)

    def keys(self, *keys):
        """Sends keys to whatever has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self):
        return self.script(
            "const it = document.activeElement;"
            "return (it.getAttribute('aria-label') || it.innerText || it.id || it.tagName).trim()")

    def listen(self):
        """Records what is announced from now on."""
        self.script(LISTEN)

    def hear(self, words):
        """Waits until exactly these words are announced together."""
        self.wait("window.heard.includes(arguments[0])", words)

    def heard(self):
        return self.script("return window.heard")

    def type_amount(self, amount):
        """Types an amount such as "$2.50" at the till, in place of what was typed before."""
        self.wait("document.querySelector('.keypad .digit:not([disabled])')")
        self.script("document.activeElement.blur()")
        if self.script("return document.querySelector('#due')?.textContent.match(/[1-9]/)"):
            self.press("Clear")
        self.keys(amount.lstrip("$"))

    def take(self, amount):
        """Charges this amount, or tops up by it in the view for that."""
        self.type_amount(amount)
        self.press("Top up" if self.count(".in-add") else "Charge")

    def panel(self, kind):
        """Waits for an outcome or a step: waiting, working, done, failed, unknown. It fills the
        page, or at the till, the place of the sale."""
        self.wait("document.querySelector(['panel', 'moment', 'due'].map("
                  "(place) => `.${place}.${arguments[0]}`).join())", kind)

    def leave_check(self):
        """Taps the check mark until a tap counts, once the mark has been visible long enough."""
        self.wait("!document.querySelector('.panel.done') || "
                  "(document.querySelector('.panel .check').click(), false)")

    # What the page did apart from what it showed.

    def requests(self):
        """The addresses that were requested since the last call."""
        events = (json.loads(entry["message"])["message"]
                  for entry in self.driver.get_log("performance"))
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        """The browser's console messages since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]
