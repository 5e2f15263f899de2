"""The page with only a keyboard, on small screens and with large text."""

import re

from selenium.webdriver.common.keys import Keys

from case import BrowserCase
from till import ROOT

PAGE = f"{ROOT}/Sources/Delivery/TillPage/page"
PLACES = re.compile(r'data-say="([\w.]+)">([^<]+)<')


class KeyboardTests(BrowserCase):
    def tab_to(self, name):
        """Tabs like somebody who sees only what has the focus."""
        for _ in range(60):
            self.page.keys(Keys.TAB)
            if self.page.focused().startswith(name):
                return
        self.fail(f"no tab stop is called {name}")

    def test_a_payment_without_a_pointer(self):
        self.till.make_demo("5.00")
        self.page.open()
        self.page.see("Amanda Gonzalez")
        self.page.keys(Keys.TAB)
        self.assertEqual(self.page.focused(), "Skip to content")
        self.page.keys(Keys.ENTER)
        for key in ("2", "5", "0"):
            self.tab_to(key)
            self.page.keys(Keys.SPACE)
        self.tab_to("Charge")
        self.page.come_to_rest(self.page.find("Charge"))
        self.page.keys(Keys.ENTER)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def test_a_dialog_is_left_with_escape_and_gives_the_focus_back(self):
        self.till.make_demo()
        self.page.open("cards")
        self.page.see("Amanda Gonzalez")
        self.tab_to("Block")
        self.page.keys(Keys.ENTER)
        self.page.see("Block?")
        self.page.keys(Keys.ESCAPE)
        self.page.wait("!document.querySelector('dialog')")
        self.assertTrue(self.page.focused().startswith("Block"))

    def test_back_goes_back_and_reading_goes_on_at_the_heading(self):
        self.page.open()
        self.page.press("History")
        self.page.wait("document.activeElement.tagName === 'H1'")
        self.page.press("Card tools")
        self.page.wait("document.activeElement.innerText === 'Card tools'")
        self.page.driver.back()
        self.page.wait("document.activeElement.innerText === 'History'")


class SmallTests(BrowserCase):
    """A small phone, or an ordinary screen at four times the size."""
    sandbox = True
    settings = {"TAPCARD_TOP_UP_LIMIT": "999999.99", "TAPCARD_BALANCE_LIMIT": "999999.99"}
    views = ("home", "add", "scratch", "issue", "cards", "history", "health", "draws", "draws/draw-2",
             "tickets", "mastermind", "mastermind/ranking", "products", "reports", "shift",
             "manage-tills")

    def test_nothing_has_to_be_scrolled_sideways(self):
        self.till.make_demo("999999.99")
        self.till.call("POST", "pay", {"amount": "1234.50", "confirmed": True})
        self.page.look((320, 640))
        self.page.open()
        for view in self.views:
            with self.subTest(view):
                self.page.go(view)
                self.page.wait("document.querySelector('main').innerText.length > 20")
                self.assertLessEqual(
                    self.page.script("return document.documentElement.scrollWidth"), 320)
        self.page.go("home")
        self.page.see("Amanda Gonzalez")
        # With one letter per line, it would be a tower.
        self.assertLess(self.page.script(
            "return document.querySelector('.sell .card').getBoundingClientRect().height"), 160)

    def test_text_of_twice_the_size_is_all_there(self):
        self.till.make_demo("1234.50")
        self.till.call("POST", "pay", {"amount": "234.50", "confirmed": True})
        self.till.call("POST", "shift/open", {"float": "1000"})
        for width in (390, 320):
            with self.subTest(width=width):
                self.look_at_all(width)

    def look_at_all(self, width):
        self.page.look((width, 844))
        resize = self.page.driver.execute_cdp_cmd
        self.addCleanup(resize, "Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        resize("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
        self.page.open()
        for view in self.views:
            with self.subTest(view):
                self.page.go(view)
                self.page.wait("document.querySelector('main').innerText.length > 20")
                self.page.wait("!document.querySelector('.lead[role=status]')")
                self.page.script("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
                self.assertEqual(
                    self.page.script("return document.documentElement.scrollWidth"), width)
        self.page.go("home")
        self.page.see("Amanda Gonzalez")
        self.page.keys("350")
        self.page.press("Cash")
        self.page.see("Collect $3.50 in cash")
        self.assertEqual(self.page.script("return document.documentElement.scrollWidth"), width)
        self.page.press("Back")
        # No part of an amount is cut off.
        for place in (".card .balance b", ".due b"):
            inside = self.page.script("""
              const [it, all] = [arguments[0], arguments[0].split(" ")[0]].map(
                (each) => document.querySelector(each).getBoundingClientRect());
              return it.right <= all.right && it.bottom <= all.bottom && it.top >= all.top;
            """, place)
            self.assertTrue(inside, place)

    def test_what_has_the_focus_is_not_behind_what_lies_below(self):
        self.till.make_demo("5.00")
        self.page.look((640, 400))
        self.page.open("cards")
        self.page.see("Amanda Gonzalez")
        seen = set()
        for _ in range(40):
            self.page.keys(Keys.TAB)
            self.page.wait("document.activeElement.closest('#dock, #nav, body:focus')"
                           " || document.activeElement.getBoundingClientRect().top"
                           " < document.querySelector('#dock').getBoundingClientRect().top")
            seen.add(self.page.focused())
        self.assertTrue(any(each.startswith("Pay out and close") for each in seen), seen)


class PageTests(BrowserCase):
    def test_every_module_is_named_in_the_first_answer(self):
        self.page.open()
        named, loaded = self.page.script("""
          const loaded = performance.getEntriesByType("resource").map((each) => each.name);
          const named = [...document.querySelectorAll("link[rel=modulepreload]")];
          return [named.map((each) => each.href), loaded.filter((each) => each.endsWith(".js"))];
        """)
        self.assertEqual(sorted(named), sorted(set(loaded)))

    def test_the_first_words_are_those_of_the_table(self):
        self.page.open()
        with open(f"{PAGE}/index.html") as file:
            shell = file.read()
        for name, words in PLACES.findall(shell):
            said = self.page.driver.execute_async_script(
                "const [name, done] = arguments; import('/strings.js').then(({ say }) =>"
                " done(name.split('.').reduce((words, part) => words[part], say)))", name)
            self.assertEqual(said, words)

    def test_how_soon_the_card_is_there(self):
        self.till.make_demo("12.50")
        self.page.open()
        self.page.see("Amanda Gonzalez")
        paints = self.page.driver.execute_async_script("""
          const done = arguments[0];
          new PerformanceObserver((list) => done(list.getEntries().map(
            ({ startTime }) => Math.round(startTime)))).observe(
            { type: "largest-contentful-paint", buffered: true });
        """)
        print(f"largest paint after {paints[-1]} ms, first of {paints}")
        self.assertTrue(paints)
