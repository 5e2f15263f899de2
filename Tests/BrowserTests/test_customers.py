"""The page that a customer's phone opens from a card."""

import base64
import os
import re
import time
import unittest
import urllib.parse

import axe_core_python
from selenium.common.exceptions import WebDriverException

import screens
from browser import BROKEN, LIMIT, NARROW, PAUSE, WIDE, Page
from customers import Customers

AXE = f"{os.path.dirname(axe_core_python.__file__)}/axe.min.js"
LOOKS = {"light": (NARROW, "light"), "dark": (NARROW, "dark"), "wide": (WIDE, "light")}
AUDIT = """
const [done] = arguments;
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(
  violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" "))}`)));
"""
ROOM = """
const wrong = [];
if (document.documentElement.scrollWidth > innerWidth) wrong.push("scrolls sideways");
for (const it of document.querySelectorAll("button")) {
  const { width, height } = it.getBoundingClientRect();
  if (it.checkVisibility() && (width < 43.5 || height < 43.5)) wrong.push(it.innerText);
}
if (document.querySelectorAll("h1").length !== 1) wrong.push("not one heading");
if (!document.title || !document.documentElement.lang) wrong.push("no title or language");
return wrong;
"""
# Times differ from run to run.
STEADY = """
for (const time of document.querySelectorAll("time")) time.textContent = "1 Jan 2026, 12:00";
return document.fonts.ready.then(() => true);
"""
# The browser's own message about an unsuccessful response.
REFUSALS = "the server responded with a status of"


class CustomersCase(unittest.TestCase):
    scripts = True

    def setUp(self):
        self.customers = Customers()
        self.addCleanup(self.customers.close)
        self.page = Page(self.customers, NARROW)
        self.page.driver.get("about:blank")
        self.page.requests()
        self.page.complaints()
        self.command("Emulation.setScriptExecutionDisabled", {"value": not self.scripts})
        self.addCleanup(self.leave)

    def leave(self):
        driver = self.page.driver
        strangers = [url for url in self.page.requests()
                     if not url.startswith((self.customers.url, "data:", "about:"))]
        complaints = [each for each in self.page.complaints() if REFUSALS not in each]
        self.command("Emulation.setScriptExecutionDisabled", {"value": False})
        driver.get("about:blank")
        driver.delete_all_cookies()
        self.assertEqual(strangers, [], "asked outside its own page")
        self.assertEqual(complaints, [], "the console")

    def command(self, name, values):
        return self.page.driver.execute_cdp_cmd(name, values)

    def hide(self):
        """Hides the page, as if it were loaded in advance, until `window.isSeen` is set."""
        added = self.command("Page.addScriptToEvaluateOnNewDocument", {"source": """
            Object.defineProperty(document, "visibilityState",
              { configurable: true, get: () => window.isSeen ? "visible" : "hidden" });
        """})
        self.addCleanup(self.command, "Page.removeScriptToEvaluateOnNewDocument", added)

    def open(self, address):
        self.page.driver.get(address)

    def text(self):
        return self.page.driver.find_element("tag name", "main").text

    def see(self, *words):
        for each in words:
            self.page.wait("document.querySelector('main')?.innerText.includes(arguments[0])", each)

    def see_no(self, *words):
        for each in words:
            self.assertNotIn(each, self.text())


class CardTests(CustomersCase):
    def test_shows_the_balance_at_once(self):
        self.open(self.customers.tap())
        self.see("Balance", "$165.50", "As of", "Recent activity")
        self.see("Top-up", "+$150.00", "Payment", "\u2212$4.50", "Starting balance", "+$20.00")
        self.see_no("Amanda", "04AC6B72BA6C80")
        # Times are in the phone's time zone.
        self.see_no("UTC")
        self.assertEqual(self.page.script("return document.title"), "Balance")
        self.assertEqual(self.page.focused(), self.page.script(
            "return document.querySelector('h1').innerText.trim()"))

    def test_shows_the_same_page_again_in_this_browser_and_in_no_other(self):
        address = self.customers.tap()
        self.open(address)
        self.see("$165.50")
        self.customers.run("pay", "5")
        # After a reload, the later payment is there.
        self.page.driver.refresh()
        self.see("$160.50", "\u2212$5.00")
        # The browser also keeps the cookies of other tests' tills.
        cookies = self.command("Network.getAllCookies", {})["cookies"]
        (cookie,) = [each for each in cookies if each["name"] == "__Host-tapcard-card"]
        self.assertTrue(cookie["httpOnly"] and cookie["secure"])
        self.assertEqual(cookie["sameSite"], "Strict")
        self.assertEqual(self.page.script("return document.cookie"), "")
        # Another browser has the address but not the cookie.
        self.command("Network.clearBrowserCookies", {})
        self.open(address)
        self.see("This link has expired", "Hold the card to your phone again")
        self.see_no("$", "Balance")
        self.open(self.customers.tap())
        self.see("$160.50")

    def test_is_not_used_up_by_a_preview(self):
        address = self.customers.tap()
        for _ in range(5):
            status, text = self.customers.ask(address)
            self.assertEqual(status, 200)
            self.assertNotIn("$", text.split("<script>")[0].split("</style>")[1])
        self.open(address)
        self.see("$165.50")

    def test_is_not_used_up_by_a_page_that_nobody_sees(self):
        address = self.customers.tap()
        self.hide()
        self.open(address)
        self.see("Show balance")
        posts = [url for url in self.page.requests() if "?" not in url and url.endswith("/c")]
        self.assertEqual(posts, [])
        self.page.script("window.isSeen = true; document.dispatchEvent(new Event('visibilitychange'))")
        self.see("$165.50")

    def test_says_the_same_of_everything_that_no_card_has_made(self):
        good = self.customers.tap()
        fields = dict(urllib.parse.parse_qsl(good.partition("?")[2]))
        wrong = {**fields, "m": "0" * 16}
        for address in (self.customers.url, f"{good}0", f"{good}&m=0",
                        f"{self.customers.url}?{urllib.parse.urlencode(wrong)}"):
            self.open(address)
            self.see("This link didn't work")
            self.see_no("$", "Balance")
        self.open(good)
        self.see("$165.50")

    def test_can_be_tried_again_without_a_connection(self):
        address = self.customers.tap()
        self.open("about:blank")
        self.command("Network.enable", {})
        self.open(f"{self.customers.url}?{'x' * 4}")
        self.see("This link didn't work")
        # The page arrives, and then the network is gone.
        block = self.command("Page.addScriptToEvaluateOnNewDocument", {"source": """
            const send = window.fetch;
            window.fetch = (...all) => window.isThere ? send(...all) : Promise.reject(new TypeError());
        """})
        self.addCleanup(self.command, "Page.removeScriptToEvaluateOnNewDocument", block)
        self.open(address)
        self.see("No response. Check your connection and try again.", "Show balance")
        self.page.script("window.isThere = true")
        self.page.driver.find_element("tag name", "button").click()
        self.see("$165.50")

    def test_no_amount_stands_on_two_lines(self):
        self.customers.run("add", "150", "--again", "--yes")
        self.addCleanup(self.command, "Page.setFontSizes", {"fontSizes": {"standard": 16}})
        for size in (16, 32):
            self.command("Page.setFontSizes", {"fontSizes": {"standard": size}})
            for width in (320, 390, 768, 1440):
                with self.subTest(size=size, width=width):
                    self.page.look((width, 844))
                    self.open(self.customers.tap())
                    self.see("$315.50")
                    self.assertEqual(self.page.script(BROKEN), [])

    def test_times_are_written_as_on_the_till_page(self):
        address = urllib.parse.urlsplit(self.customers.tap())
        _, page = self.customers.ask(
            f"{self.customers.url}", dict(urllib.parse.parse_qsl(address.query)))
        # The server's own text, for a browser without scripts, is in UTC, and so is this browser.
        told = dict(re.findall(r'<time datetime="([^"]+)">([^<]+) UTC</time>', page))
        self.assertTrue(told)
        agent = self.page.script("return navigator.userAgent")
        speak = "Network.setUserAgentOverride"
        self.addCleanup(self.command, speak, {"userAgent": agent, "acceptLanguage": "en-GB"})
        self.command(speak, {"userAgent": agent, "acceptLanguage": "en-US"})
        self.open(self.customers.tap())
        self.see("$165.50")
        shown = dict(self.page.script(
            "return [...document.querySelectorAll('li time')].map("
            "(time) => [time.dateTime, time.innerText])"))
        self.assertEqual(shown, {moment: told[moment] for moment in shown})

    def test_says_what_is_with_the_card(self):
        self.customers.run("block")
        self.open(self.customers.tap())
        self.see("$165.50", "This card is blocked. Please ask the staff.")


class WithoutScriptsTests(CustomersCase):
    scripts = False

    def press(self):
        self.page.driver.find_element("tag name", "button").click()

    def see(self, *words):
        """Lets the driver look until the next page is there, because no script of the page may
        run."""
        end = time.monotonic() + LIMIT
        for each in words:
            while each not in self.text():
                if time.monotonic() > end:
                    raise AssertionError(f"never came: {each}\n{self.text()}")
                time.sleep(PAUSE)

    def text(self):
        try:
            return super().text()
        except WebDriverException:
            # The page is just being replaced.
            return ""

    def test_a_button_shows_the_balance(self):
        address = self.customers.tap()
        self.open(address)
        self.see("Show balance")
        self.see_no("$")
        self.press()
        self.see("$165.50", "+$150.00", "\u2212$4.50", "UTC")
        # Opens it again in the same browser, and then in another one.
        self.open(address)
        self.see("Show balance")
        self.press()
        self.see("$165.50")
        self.command("Network.clearBrowserCookies", {})
        self.open(address)
        self.see("Show balance")
        self.press()
        self.see("This link has expired")
        self.see_no("$")


class CustomerScreensTests(CustomersCase):
    def screen(self, name):
        for look, (size, scheme) in LOOKS.items():
            with self.subTest(screen=name, look=look):
                self.page.look(size, scheme, moves=False)
                self.page.script(STEADY)
                png = base64.b64decode(self.command(
                    "Page.captureScreenshot", {"format": "png"})["data"])
                self.assertIsNone(screens.compare(f"{name}-{look}", png))
                self.assertEqual(self.page.script(ROOM), [])
                # The page's own policy allows no other script.
                with open(AXE, encoding="utf-8") as file:
                    self.command("Runtime.evaluate", {"expression": file.read()})
                self.assertEqual(self.page.driver.execute_async_script(AUDIT), [])
        self.page.look(NARROW)

    def test_card(self):
        self.open(self.customers.tap())
        self.see("$165.50")
        self.screen("customer-card")

    def test_form(self):
        self.hide()
        self.open(self.customers.tap())
        self.see("Show balance")
        self.screen("customer-form")

    def test_tap_again(self):
        address = self.customers.tap()
        self.open(address)
        self.see("$165.50")
        self.command("Network.clearBrowserCookies", {})
        self.open(address)
        self.see("This link has expired")
        self.screen("customer-again")

    def test_blocked(self):
        self.customers.run("block")
        self.open(self.customers.tap())
        self.see("blocked")
        self.screen("customer-blocked")


class CustomerScreensWithoutScriptsTests(CustomerScreensTests):
    scripts = False
    test_card = test_tap_again = test_blocked = None

    def screen(self, name):
        for look, (size, scheme) in LOOKS.items():
            with self.subTest(screen=name, look=look):
                self.page.look(size, scheme, moves=False)
                png = base64.b64decode(self.command(
                    "Page.captureScreenshot", {"format": "png"})["data"])
                self.assertIsNone(screens.compare(f"{name}-{look}", png))
        self.page.look(NARROW)

    def test_form(self):
        self.open(self.customers.tap())
        self.screen("customer-form")


if __name__ == "__main__":
    unittest.main()
