"""Many tabs of one browser, which has few connections to a server."""

import time

from browser import LIMIT, PAUSE
from case import BrowserCase
from test_cashiers import LOGIN, PASSWORD

MANY = 8
# The limit for loading a page, unless another limit is given.
USUAL_LIMIT = 300
LINK = """
const [done] = arguments;
import("/store.js").then(({ state }) => done(state.link));
"""


class TabsCase(BrowserCase):
    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("20.00")
        self.first = self.page.driver.current_window_handle
    def link(self):
        return self.page.driver.execute_async_script(LINK)

    def wait_until_it_rests(self):
        end = time.monotonic() + LIMIT
        while self.link() != "resting":
            self.assertLess(time.monotonic(), end, "never rests")
            time.sleep(PAUSE)


class ManyTabsTests(TabsCase):
    def setUp(self):
        super().setUp()
        self.page.driver.set_page_load_timeout(LIMIT)
        self.addCleanup(self.page.driver.set_page_load_timeout, USUAL_LIMIT)
        self.page.open("home")
        self.page.see("Amanda Gonzalez")

    def test_eight_tabs_all_follow_the_till_when_they_are_looked_at(self):
        tabs = [self.first]
        for _ in range(MANY - 1):
            tabs.append(self.open_tab())
            self.page.open("home")
            self.page.see("Amanda Gonzalez")
        self.till.call("POST", "pay", {"amount": "1.00"})
        for tab in reversed(tabs):
            self.turn_to(tab)
            self.page.see("Reader ready", "$19.00")
        self.page.press("Charge again")
        self.page.take("$2.50")
        self.page.panel("done")
        self.page.see("$16.50 left")

    def test_a_tab_that_rested_says_nothing_that_is_not_so_any_more(self):
        self.page.go("history")
        self.page.see("Daily totals, all tills")
        self.open_tab()
        self.page.driver.switch_to.window(self.first)
        self.wait_until_it_rests()
        self.page.see("Connecting")
        self.till.call("POST", "pay", {"amount": "1.00"})
        self.turn_to(self.first)
        self.page.see("Reader ready", "1 card payment: $1.00")
        self.page.go("home")
        self.page.see("$19.00")
        self.assertEqual(self.page.count(".toast"), 0)

    def test_a_tab_that_waits_for_a_card_goes_on_when_nobody_sees_it(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$1.00")
        self.page.panel("waiting")
        second = self.open_tab()
        self.page.open()
        self.page.see("Another page, Payment, waiting")
        self.open_tab()
        # The second tab was hidden after the first, and its stream has ended.
        self.page.driver.switch_to.window(second)
        self.wait_until_it_rests()
        self.page.driver.switch_to.window(self.first)
        self.assertEqual(self.link(), "live")
        self.till.put(self.uid)
        self.page.panel("done")
        self.page.see("$19.00 left")
        self.assertEqual(self.till.done("pay"), ["-1.00"])


class SessionTabsTests(TabsCase):
    def setUp(self):
        super().setUp()
        self.till.add_cashier("Ann", PASSWORD)

    def log_in(self):
        self.page.open(until=LOGIN)
        self.page.type("Name", "Ann")
        self.page.type("Password", PASSWORD)
        self.page.press("Log in")
        self.page.see("Cashier: Ann", "Amanda Gonzalez")

    def test_who_has_logged_out_in_another_tab_is_asked_who_it_is(self):
        self.log_in()
        second = self.open_tab()
        self.log_in()
        self.page.driver.switch_to.window(self.first)
        self.wait_until_it_rests()
        self.page.driver.switch_to.window(second)
        self.page.press("Log out")
        self.page.see(LOGIN)
        self.turn_to(self.first)
        self.page.see(LOGIN)
        self.page.see_no("Reconnecting")
        self.assertNotIn("Amanda", self.page.text())
