"""The content and order of the history, and how it fits on a small screen with large text."""

import re

from browser import WIDE
from case import BrowserCase

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}", re.IGNORECASE)
LARGE = (320, 640)
# Finds words squeezed into narrow columns, and fields and tables that are cut off.
SQUEEZED = """
const wrong = [];
const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const [text, cell] = [node.data.trim(), node.parentElement];
  if (!text || !cell.checkVisibility() || cell.closest(".unseen, svg")) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  const longest = Math.max(...text.split(/\\s/).map((word) => word.length));
  if (lines > 1 && text.length / lines < Math.min(5, longest)) {
    wrong.push(`${text} on ${lines} lines`);
  }
}
for (const it of document.querySelectorAll("main input, main .wide")) {
  if (it.scrollWidth > it.clientWidth + 1) wrong.push(`${it.type ?? "table"} is cut`);
}
if (document.documentElement.scrollWidth > innerWidth) wrong.push("scrolls sideways");
return wrong;
"""
QUIET = "No payments, top-ups, or payouts."
# Replaces the totals of every day with these.
DAY = """
const [hours, sums] = arguments;
const send = window.fetch;
window.fetch = async (path, options) => {
  const answer = await send(path, options);
  if (!String(path).includes("takings")) return answer;
  const day = await answer.json();
  day.hours = day.hours.map((each) => (
    { ...each, paid: "0.00", added: "0.00", ...hours[each.hour] }));
  return new Response(JSON.stringify({ ...day, ...sums }));
};
"""


class HistoryTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.till.make_demo("60.00")

    def reissue(self):
        self.till.call("POST", "issue", {"name": "Eva", "reissue": True, "confirmed": True})

    def rows(self):
        return self.page.script(
            "return [...document.querySelectorAll('.entry')].map((row) => row.innerText)")

    def test_what_a_new_card_handed_out_is_told(self):
        self.reissue()
        self.page.open("history")
        self.page.see("New card. Cash paid out: $60.00.", "1 payout: $60.00")

    def open_day(self, hours, **day):
        """Opens the history on a day that had only this."""
        self.page.open("history")
        self.page.script(DAY, hours, {
            "paid": "0.00", "payments": 0, "added": "0.00", "topUps": 0, "paidOut": "0.00",
            "payouts": 0, "drawer": "0.00", **day})
        self.page.go("home")
        self.page.go("history")

    def test_a_day_of_nothing_but_payouts_is_no_quiet_one(self):
        self.open_day({}, payouts=2, paidOut="7.50", drawer="-7.50")
        self.page.see("2 payouts: $7.50", "all tills: \u2212$7.50")
        self.assertNotIn(QUIET, self.page.text())

    def test_a_day_of_nothing_but_returned_money_is_no_quiet_one(self):
        self.open_day({10: {"added": "-5.00"}}, added="-5.00", drawer="-5.00")
        self.page.see("0 top-ups: \u2212$5.00", "all tills: \u2212$5.00")
        self.assertNotIn(QUIET, self.page.text())

    def test_a_day_whose_sums_cancel_out_is_no_quiet_one(self):
        self.open_day({}, payments=1)
        self.page.see("1 card payment: $0.00")
        self.assertNotIn(QUIET, self.page.text())

    def test_a_day_without_anything_is_a_quiet_one(self):
        self.open_day({})
        self.page.see(QUIET)

    def test_returned_money_is_in_the_table_and_below_no_bar(self):
        self.open_day(
            {9: {"paid": "5.00", "added": "-5.00"}, 10: {"paid": "-1.00"}},
            paid="4.00", payments=1, added="-5.00", drawer="-5.00")
        self.page.see("1 card payment: $4.00")
        self.page.press("Show as table")
        self.page.see("9:00", "\u2212$5.00", "10:00", "\u2212$1.00")
        self.assertNotIn("11:00", self.page.text())
        heights = self.page.script(
            "return [...document.querySelectorAll('.chart rect')]"
            ".map((bar) => Number(bar.getAttribute('height'))).filter((height) => height !== 0)")
        self.assertEqual(heights, [170])

    def test_what_belongs_to_a_closed_account_is_refused_without_ids(self):
        self.reissue()
        self.page.open("history")
        self.page.press("Undo top-up $60.00")
        self.page.listen()
        self.page.press("Undo this top-up")
        self.page.press("Undo this top-up")
        self.page.panel("failed")
        words = "This was done before the card was reissued."
        self.page.see("Undo failed", words, "It cannot be refunded or undone.")
        self.page.hear(f"Undo failed. {words} It cannot be refunded or undone.")
        self.assertNotRegex(self.page.text(), ID)

    def test_the_last_one_comes_first_whatever_the_clock_said(self):
        for amount in ("1.00", "2.00", "3.00"):
            self.till.call("POST", "pay", {"amount": amount})
        self.page.open("history")
        self.page.script("""
          const send = window.fetch;
          window.fetch = async (path, options) => {
            const answer = await send(path, options);
            if (!String(path).includes("history")) return answer;
            const told = await answer.json();
            told.entries.forEach((each, index) => {
              each.at = `2026-01-01T12:00:0${9 - index % 2}Z`;
            });
            return new Response(JSON.stringify(told));
          };
        """)
        self.page.go("home")
        self.page.go("history")
        self.page.see("$3.00")
        self.page.wait("document.querySelector('.entry .when small').innerText.includes('2026')")
        amounts = [next((each for each in ("1.00", "2.00", "3.00", "60.00") if f"${each}\n" in row),
                        "") for row in self.rows()]
        self.assertEqual(amounts[:4], ["3.00", "2.00", "1.00", "60.00"])

    def test_it_holds_at_320_pixels_with_text_twice_as_large(self):
        self.till.call("POST", "pay", {"amount": "12.50"})
        self.addCleanup(self.page.driver.execute_cdp_cmd, "Page.setFontSizes",
                        {"fontSizes": {"standard": 16}})
        for way in ("browser", "page"):
            with self.subTest(way):
                self.page.look(LARGE)
                self.page.driver.execute_cdp_cmd("Page.setFontSizes", {
                    "fontSizes": {"standard": 32 if way == "browser" else 16}})
                self.page.open("history")
                if way == "page":
                    self.page.script("document.documentElement.style.fontSize = '32px'")
                size = self.page.script(
                    "return getComputedStyle(document.documentElement).fontSize")
                self.assertEqual(size, "32px")
                self.page.see("Recent activity")
                self.page.press("Show as table")
                self.page.press("Refund \u2212$12.50")
                self.assertEqual(self.page.script(SQUEEZED), [])
        self.page.look(WIDE)
