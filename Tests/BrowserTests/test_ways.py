"""Every other link and button on the page: where it leads, or what it does."""

import re

from case import BrowserCase
from till import ROOT

WORDS = f"{ROOT}/Sources/Delivery/CustomerServer/CustomerWords.swift"


class WayTests(BrowserCase):
    sandbox = True

    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("5.00")

    def here(self, title):
        self.page.wait("document.querySelector('h1')?.innerText === arguments[0]", title)

    def test_the_sections_and_the_way_home(self):
        self.page.open()
        for name, title in (
                ("Lottery", "Draws"), ("Game", "Mastermind"), ("History", "History"),
                ("Card tools", "Card tools"), ("Health", "Health"), ("Till", "Till")):
            self.page.press(name)
            self.here(title)
            self.page.wait("document.querySelector('#nav [aria-current]').innerText === arguments[0]",
                           name)
        self.page.press("Card tools")
        self.page.press("tapcard")
        self.here("Till")

    def test_lottery(self):
        self.page.open("draws")
        self.page.press("Monday, 29 May 2023")
        self.page.wait("document.querySelector('.one-draw .id')?.innerText === 'draw-3'")
        self.page.press("Tickets")
        self.here("Tickets")
        self.page.press("Draws")
        self.here("Draws")
        self.till.sandbox.stop()
        self.page.go("draws/draw-9")
        self.page.press("Try again")
        self.page.see("Try again")

    def test_days_and_times_are_written_one_way_on_this_page_and_that_of_the_customers(self):
        self.page.open()
        with open(WORDS, encoding="utf-8") as file:
            months = re.findall(r'"(\w+)"', re.search(
                r"months = \[(.*?)\]", file.read(), re.DOTALL).group(1))
        self.assertEqual(len(months), 12)
        for number, month in enumerate(months, start=1):
            day = f"2026-{number:02}-09"
            said = self.page.driver.execute_async_script("""
              const [day, done] = arguments;
              import("/words.js").then(({ dateWords, dayWords, timeWords }) => done(
                [timeWords(`${day}T07:04:00Z`), dateWords(`${day}T07:04:00Z`), dayWords(day)]));
            """, day)
            text = f"9 {month} 2026"
            self.assertEqual(said[:2], [f"{text}, 07:04", text])
            self.assertRegex(said[2], rf"^[A-Z][a-z]+day,? {text}$")

    def test_history_of_the_card_that_an_entry_names(self):
        self.till.call("POST", "pay", {"amount": "1.00"})
        self.page.open("history")
        self.page.press("This card")
        self.page.see_no("Daily totals, all tills")
        self.page.press("All cards")
        self.page.see("Daily totals, all tills")
        self.page.press(self.page.wait("document.querySelector('.entry .uid')?.innerText"))
        self.page.see_no("Daily totals, all tills")
        self.assertIn(self.uid, self.page.driver.current_url)
        self.page.press("All cards")
        self.page.wait("document.querySelector('input[type=date]')")
        self.page.script("""
          const day = document.querySelector("input[type=date]");
          day.value = "2020-02-29";
          day.dispatchEvent(new Event("change"));
        """)
        self.page.see("No payments, top-ups, or payouts.")

    def test_a_typed_amount_is_added(self):
        self.page.open("add")
        self.page.type_amount("0.75")
        self.page.press("Top up")
        self.page.panel("done")
        self.page.see("Balance $5.75")

    def test_cards_are_made_from_every_place_that_offers_it(self):
        self.till.put("NTAG213")
        self.page.open()
        self.page.press("Issue card")
        self.here("Issue card")
        self.page.press("Make demo card")
        self.page.panel("done")
        self.page.leave_check()
        self.page.press("Card tools")
        self.here("Card tools")
        self.page.press("Issue card")
        self.here("Issue card")
        self.till.put("NTAG213")
        self.page.see("Blank tag")
        self.page.field("Require a password to write").click()
        self.page.press("Issue card")
        self.page.panel("done")
        self.page.leave_check()
        self.till.put("NTAG213")
        self.page.press("Card tools")
        self.page.see("Blank tag")
        self.page.press("Make demo card")
        self.page.panel("done")
        self.page.leave_check()
        self.assertEqual(self.till.call("GET", "audit")["cards"], 4)

    def test_the_code_is_activated_right_behind_its_scratching(self):
        self.page.open("scratch")
        self.page.press("Reveal code")
        self.page.press("Activate code")
        self.here("Activate")
        self.page.press("Activate code")
        self.page.see("Code activated")

    def test_health(self):
        self.page.open("health")
        self.page.see("OK:")
        self.page.wait("document.querySelector('dl > dt')")
        self.assertEqual(self.page.count("dt:not(dl > dt), dd:not(dl > dd)"), 0)
        self.page.press("Run diagnostics again")
        self.page.see("OK:")
        self.page.press("Audit the ledger")
        self.page.see("No problems found. Checked 1 card and")


class CommandTests(BrowserCase):
    reader = "pn532_uart:/dev/null/nothing"

    def test_a_command_of_the_doctor_is_copied(self):
        self.page.open("health", until="Problem:")
        commands = [command for each in self.till.run("doctor")["findings"]
                    for command in each["commands"]]
        if not commands:
            self.skipTest("the doctor of this machine names no command")
        self.page.driver.execute_cdp_cmd("Browser.grantPermissions", {
            "origin": self.till.url,
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.addCleanup(self.page.driver.execute_cdp_cmd, "Browser.resetPermissions", {})
        self.page.press(f"Copy: {commands[0]}")
        self.page.see("Command copied")
        self.assertEqual(self.page.script("return navigator.clipboard.readText()"), commands[0])
        self.page.press("Close")
        self.page.wait("!document.querySelector('.toast')")
