"""A test with a till and its page, and the checks that follow each test."""

import unittest

from browser import WIDE, Page, forget
from till import Till

# The browser logs every unsuccessful response; the page has already shown the refusal.
REFUSAL = "/api/v1/"
REFUSALS = "Failed to load resource: the server responded with a status of"
# It also logs a missing server, which matters only if the test did not stop the server.
LOST = "net::ERR_"
# A headless browser considers all of its tabs visible.
SEEN = """
Object.defineProperty(document, "hidden", { configurable: true, value: !arguments[0] });
document.dispatchEvent(new Event("visibilitychange"));
"""


class BrowserCase(unittest.TestCase):
    options = ()
    reader = "sim"
    tills = 1
    sandbox = False
    settings = {}
    loses_server = False

    def setUp(self):
        self.till = Till(
            *self.options, reader=self.reader, tills=self.tills, sandbox=self.sandbox,
            **self.settings)
        self.addCleanup(self.till.close)
        forget(self.till.url)
        self.page = Page(self.till)
        self.page.driver.get("about:blank")
        # What the browser requested on its own before there was a page does not matter.
        self.page.requests()
        self.addCleanup(self.let_go)

    def let_go(self):
        page = self.page
        try:
            strangers = [url for url in page.requests() if not self.is_own(url)]
            complaints = [each for each in page.complaints() if not self.is_expected(each)]
        finally:
            page.driver.get("about:blank")
        self.assertEqual(strangers, [], "asked outside its own origin")
        self.assertEqual(complaints, [], "the console")

    def open_tab(self):
        """Opens another tab in front of the others; it is closed when the test ends."""
        driver = self.page.driver
        first = driver.current_window_handle
        self.page.script(SEEN, False)
        driver.switch_to.new_window("tab")
        opened = driver.current_window_handle
        self.addCleanup(self.close_tab, opened, first)
        self.page.look(WIDE)
        return opened

    def close_tab(self, tab, then):
        driver = self.page.driver
        driver.switch_to.window(tab)
        driver.close()
        driver.switch_to.window(then)

    def turn_to(self, tab):
        """Brings a tab to the front, as a person does."""
        self.page.script(SEEN, False)
        self.page.driver.switch_to.window(tab)
        self.page.script(SEEN, True)

    def is_own(self, url):
        return url.startswith((f"{self.till.url}/", "data:", "about:"))

    def is_expected(self, complaint):
        isRefusal = REFUSAL in complaint and REFUSALS in complaint
        return isRefusal or (self.loses_server and LOST in complaint)

    def assertAudited(self):
        self.assertEqual(self.till.call("GET", "audit")["violations"], [])
