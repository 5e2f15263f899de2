"""The look of every screen in light, dark and narrow, and its accessibility problems."""

import base64
import os
import unittest

import axe_core_python
from PIL import Image, ImageFilter

import screens
import readings
from browser import NARROW, WIDE
from case import BrowserCase
from till import Machine
from test_selling import CAKE, COFFEE, JUICE, OPEN

AXE = f"{os.path.dirname(axe_core_python.__file__)}/axe.min.js"
LOOKS = {"light": (WIDE, "light"), "dark": (WIDE, "dark"), "narrow": (NARROW, "light")}
# Checks all rules once, then those that depend on colors or size.
RULES = {"light": None, "dark": ["color-contrast"],
         "narrow": ["scrollable-region-focusable"]}

# The day's bars are at a fixed hour, whenever the test runs.
ONE_HOUR = """
const send = window.fetch;
window.fetch = async (path, options) => {
  const answer = await send(path, options);
  if (!String(path).includes("takings")) return answer;
  const day = await answer.json();
  day.hours.forEach((each) => Object.assign(each, { paid: "0.00", added: "0.00" }));
  Object.assign(day.hours[10], { paid: day.paid, added: day.added });
  return new Response(JSON.stringify(day));
};
"""
# Replaces text that differs from run to run, and stops blinking and short-lived messages.
STEADY = """
const set = (places, text) => document.querySelectorAll(places).forEach((place) => {
  if (place.firstChild?.nodeType === Node.TEXT_NODE) place.firstChild.data = text;
});
set("code", "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f");
set(".uid", "04\u00a0AC\u00a06B\u00a072\u00a0BA\u00a06C\u00a080");
set(".entry .when small:first-of-type", "1 Jan 2026, 12:00");
set("tbody td, dd", "1");
set(".choosing small span", "Reader ready: simulated reader");
set(".finding p:not(:has(strong))", "What mends it.");
set(".note.good span", "Reader ready");
set(".attached small:last-child", "Reader: simulated reader, tapcard 0.1.0, from 127.0.0.1.");
set(".pegs small", "1 right place, 1 wrong place");
document.querySelectorAll(".pegs i").forEach((peg) => peg.remove());
document.querySelectorAll(".finding p strong").forEach((place) => {
  if (place.nextSibling) place.nextSibling.data = "What is so.";
});
document.querySelectorAll(".panel .lead").forEach(({ firstChild }) => {
  firstChild.data = firstChild.data.replace(/[0-9a-f-]{36}/, "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f");
});
document.querySelectorAll(".paper span").forEach(({ firstChild }) => {
  if (!firstChild) return;
  firstChild.data = firstChild.data.replace(/[0-9a-f-]{36}/, "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f")
    .replace(/^\d{4}-\d\d-\d\d .*/, "2026-01-01 12:00:00").replace(/\.\.\.\w{4}$/, "...6C80");
});
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const { data } = texts.currentNode;
  const fixed = data.replace(/\d{1,2} \w{3,4} \d{4}, \d\d:\d\d/g, "1 Jan 2026, 12:00");
  if (fixed !== data) texts.currentNode.data = fixed;
}
document.querySelectorAll("input[type=date]").forEach((day) => { day.value = "2026-01-01"; });
if (!window.steady) {
  window.steady = new CSSStyleSheet();
  steady.replaceSync("* { caret-color: transparent !important; outline: 0 !important; }"
    + "#toasts, #others *, #status .quiet { display: none !important; }");
  document.adoptedStyleSheets.push(steady);
}
document.querySelector("main").scrollIntoView();
scrollTo(0, 0);
return document.fonts.ready.then(() => true);
"""
DRAWN = ("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame("
         "() => setTimeout(() => done(true)))))")
AUDIT = """
const [rules, done] = arguments;
axe.run(document, { resultTypes: ["violations"], ...rules && { runOnly: rules } }).then(({ violations }) => done(
  violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")
    + " " + (node.any[0] ?? node.all[0] ?? node.none[0])?.message).slice(0, 3).join(" | ")}`)));
"""
MOST_PICTURES = 5
# What axe does not check: nothing scrolls sideways, and controls are large enough for a thumb.
ROOM = """
const wrong = [];
if (document.documentElement.scrollWidth > innerWidth) wrong.push("scrolls sideways");
for (const it of document.querySelectorAll("button, a, select, input:not([type=checkbox])")) {
  const { width, height, bottom } = it.getBoundingClientRect();
  const isInText = getComputedStyle(it).display === "inline";
  if (!it.checkVisibility() || bottom < 0 || isInText) continue;
  if (width < 43.5 || height < 43.5) {
    wrong.push(`${it.innerText || it.id} is ${width.toFixed()} by ${height.toFixed()}`);
  }
}
if (document.querySelectorAll("h1").length !== 1) wrong.push("not one heading of the page");
return wrong;
"""


class ScreenCase(BrowserCase):
    def setUp(self):
        super().setUp()
        self.page.look(*LOOKS["light"], moves=False)
        added = self.page.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": ONE_HOUR})
        self.addCleanup(self.page.driver.execute_cdp_cmd,
                        "Page.removeScriptToEvaluateOnNewDocument", added)
        with open(AXE, encoding="utf-8") as file:
            self.axe = file.read()

    def screen(self, name):
        """Checks the current screen in each look."""
        for look, (size, scheme) in LOOKS.items():
            with self.subTest(screen=name, look=look):
                self.page.look(size, scheme, moves=False)
                self.assertIsNone(self.difference(f"{name}-{look}"))
                self.assertEqual(self.page.script(ROOM), [])
                if not self.page.script("return Boolean(window.axe)"):
                    self.page.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": self.axe})
                self.assertEqual(self.page.driver.execute_async_script(AUDIT, RULES[look]), [])
        self.page.look(*LOOKS["light"], moves=False)

    def difference(self, name):
        """The difference from the stored picture, or None."""
        for _ in range(MOST_PICTURES):
            # The page redraws itself for another size and for news from the server. Text is fixed
            # after that; if it was too late, another picture is taken.
            self.page.script(DRAWN)
            self.page.script(STEADY)
            png = base64.b64decode(self.page.driver.execute_cdp_cmd(
                "Page.captureScreenshot", {"format": "png"})["data"])
            difference = screens.compare(name, png)
            if difference is None:
                break
        return difference

    def at(self, view, *words):
        self.page.go(view)
        self.page.see(*words)


class TillScreens(ScreenCase):
    def test_the_card_and_what_is_done_with_it(self):
        page, till = self.page, self.till
        page.open()
        page.see("Blank tag")
        self.screen("home-blank")
        till.take()
        page.see("Tap a card")
        self.screen("home-empty")
        till.put()
        uid = till.make_demo("12.50")
        page.see("$12.50")
        self.screen("home-card")
        page.take("100.00")
        page.panel("failed")
        self.screen("sale-failed")
        page.press("Back")
        self.at("add", "Top-up amount")
        self.screen("add")
        page.go("home")
        for words in (COFFEE, CAKE, OPEN, JUICE):
            till.run("products", "add", *words)
        page.open()
        page.see("Coffee")
        for product in ("Coffee", "Coffee", "Cake"):
            page.press(product)
        self.screen("sale-cart")
        page.press("Cash")
        page.keys("1500")
        page.see("Change: $4.00")
        self.screen("sale-cash")
        page.press("Received")
        page.panel("done")
        self.screen("sale-cash-paid")
        page.press("Hide the last payment")
        page.go("products")
        page.see("Add product")
        self.screen("products")
        page.press("Edit Coffee")
        page.see("Color of the tile")
        self.screen("products-form")
        page.go("home")
        till.take()
        page.see("Tap a card")
        page.take("$1.00")
        page.panel("waiting")
        self.screen("sale-armed")
        page.press("Cancel")
        till.put(uid)
        page.see("Amanda Gonzalez")
        page.take("$1.00")
        page.panel("done")
        self.screen("sale-paid")
        page.keys("250")
        page.see("Already paid", "Undo")
        self.screen("sale-again")
        page.press("Receipt")
        page.see("New balance")
        self.screen("receipt")
        page.press("Close")
        till.tear("4 pulled-after")
        page.press("Charge again")
        page.panel("unknown")
        self.screen("sale-unknown")
        till.put(uid)
        page.panel("done")
        page.leave_check()
        self.at("scratch", "Reveal code")
        self.screen("scratch")
        page.press("Reveal code")
        page.see("Code revealed and saved on the card")
        self.screen("scratched")
        self.at("cards", "Manage the card")
        self.screen("cards")
        page.press("Pay out and close")
        page.see("closed for good")
        self.screen("cards-question")
        page.press("Cancel")
        self.at("issue", "Any phone can read the customer's name")
        self.screen("issue")
        self.at("history", "Daily totals, all tills", "Recent activity")
        page.press("Refund \u2212$1.00")
        self.screen("history")
        self.at("reports", "Days", "Net cash")
        page.press("Products")
        page.press("All")
        page.see("Products, all days", "Total")
        self.screen("reports")
        page.press("Outstanding balance")
        page.see("Spent with cards")
        self.screen("reports-outstanding")
        self.at("cards", "Find a card")
        page.type("Part of the name or card number", "amanda")
        page.press("Find")
        page.see("card ends in")
        self.screen("cards-found")
        self.at("history", "Recent activity")
        page.press("Simulated reader")
        page.see("The reader and tags are simulated")
        self.screen("simulator")
        page.press("Simulated reader")
        till.call("POST", "block", {})
        self.at("home", "This card is blocked")
        self.screen("home-barred")
        self.at("health", "Diagnostics", "OK:")
        self.screen("health")


class ShiftScreens(ScreenCase):
    def test_a_shift_and_its_report(self):
        page, till = self.page, self.till
        till.make_demo("20.00")
        page.open("shift")
        page.see("Cash in the drawer now")
        self.screen("shift-none")
        page.type("Cash in the drawer now", "100")
        page.press("Open shift")
        page.see("Cash in or out")
        page.type("Amount", "12.40")
        page.type("Reason", "Change")
        page.press("Record")
        page.see("put into the drawer")
        till.run("products", "add", *COFFEE)
        till.run("sell", "2xCoffee", "--tender", "cash")
        till.call("POST", "pay", {"amount": "4.50"})
        self.screen("shift")
        page.type("Cash counted", "118.30")
        page.press("Close shift")
        page.see("Close the shift with $118.30 counted?")
        page.press("Close shift")
        page.see("$1.10 short.")
        self.screen("shift-closed")
        page.press("Show report")
        page.see("Starting cash")
        self.screen("shift-report")
        page.press("Close")
        self.at("history", "Recent activity")
        page.press("Find an operation")
        page.type("Product", "coffee")
        page.press("Find")
        page.see("Undo sale")
        self.screen("history-found")


class ReadingScreens(ScreenCase):
    loses_server = True

    def test_a_card_that_proves_itself_and_one_that_does_not(self):
        page, till = self.page, self.till
        uid = readings.card(till, "NTAG424")
        page.open()
        page.see("Genuine NTAG 424 chip")
        self.screen("home-chip")
        till.call("POST", "close", {"card": uid})
        page.see("This card is closed.")
        self.screen("home-closed")
        till.put("NTAG424")
        self.at("issue", "needs no password")
        self.screen("issue-chip")
        readings.clone(readings.Drawer(till))
        page.open()
        page.see("Copied card")
        self.screen("home-copy")


class ServiceScreens(ScreenCase):
    sandbox = True

    def test_what_the_services_show(self):
        page, till = self.page, self.till
        till.make_demo("12.50")
        till.call("POST", "scratch", {})
        page.open("activate")
        page.see("Amanda Gonzalez", "Activate code")
        self.screen("activate")
        till.sandbox.name_version("6.1")
        page.press("Activate code")
        page.wait("document.querySelector('dialog')")
        self.screen("activate-refused")
        page.press("Close")
        self.at("draws", "Top prize")
        self.screen("draws")
        page.go("draws/draw-2")
        page.wait("document.querySelector('.one-draw')")
        self.screen("draw")
        self.at("tickets", "No prize")
        self.screen("tickets")
        self.at("mastermind", "User name")
        self.screen("mastermind-login")
        till.call("POST", "mastermind/login",
                     {"user": "amanda", "password": till.sandbox.password})
        till.call("POST", "mastermind/start", {"slots": 1})
        for color in range(1, 7):
            if till.call("POST", "mastermind/guess", {"colors": [color]})["solved"]:
                break
        self.at("mastermind/ranking", "amanda")
        self.screen("mastermind-ranking")
        till.call("POST", "mastermind/start", {"slots": 4})
        till.call("POST", "mastermind/guess", {"colors": [1, 2, 4, 3]})
        self.at("mastermind", "Guess 1")
        page.press("5 violet")
        self.screen("mastermind-board")


class ComparisonTests(unittest.TestCase):
    """What counts as a different look, and what does not."""

    def setUp(self):
        self.kept = screens.kept("home-card-light")

    def part(self, changed):
        return screens.differing(self.kept, changed)

    def test_another_color_of_a_button_is_another_look(self):
        changed = self.kept.copy()
        changed.paste("#8a1c12", (1120, 755, 1200, 785))
        self.assertGreater(self.part(changed), screens.TOLERATED)

    def test_a_word_that_moved_is_another_look(self):
        word = self.kept.crop((16, 758, 110, 784))
        changed = self.kept.copy()
        changed.paste(self.kept.getpixel((8, 770)), (16, 758, 110, 784))
        changed.paste(word, (24, 758))
        self.assertGreater(self.part(changed), screens.TOLERATED)

    def test_softer_edges_and_fewer_colors_are_none(self):
        softer = self.kept.filter(ImageFilter.GaussianBlur(0.5))
        self.assertLessEqual(self.part(softer), screens.TOLERATED)
        fewer = self.kept.quantize(64, kmeans=3, dither=Image.Dither.NONE).convert("RGB")
        self.assertLessEqual(self.part(fewer), screens.TOLERATED)

    def test_another_size_is_another_look(self):
        self.assertEqual(self.part(self.kept.crop((0, 0, 1280, 799))), 1.0)


class SeveralTillsScreens(ScreenCase):
    tills = 2

    def test_where_there_are_several_tills(self):
        self.till.make_demo("12.50")
        self.page.open(until="Reader ready: simulated reader")
        self.screen("tills")
        self.page.press("Till 1")
        self.page.see("Amanda Gonzalez")
        self.screen("home-till")


class ManageTillsScreens(ScreenCase):
    def test_the_tills_whose_readers_are_on_other_machines(self):
        page, till = self.page, self.till
        code = till.run("tills", "add", "Bar", "--trusted")["code"]
        machine = Machine(till, "--server", till.url, "--code", code)
        self.addCleanup(machine.close)
        page.open("manage-tills", until="Connected. Last seen:")
        page.press("Add till")
        page.press("Add till")
        page.see("Enter a name.")
        self.screen("manage-tills-form")
        page.type("Name", "Terrace")
        page.press("Add till")
        page.see("Code for till Terrace", "Not connected yet.")
        self.screen("manage-tills")


class NoReaderScreens(ScreenCase):
    reader = "pn532_uart:/dev/null/nothing"

    def test_where_there_is_no_reader(self):
        self.page.open(until="No reader")
        self.page.see("See details")
        self.screen("home-no-reader")
