"""Two counters at one server: which one a page is at, and that neither shows what is the other's."""

from case import BrowserCase
from test_cashiers import LOGIN, PASSWORD

ASKED = "Which counter is this?"
PLACE = "return location.pathname"


class CountersCase(BrowserCase):
    counters = 2

    def setUp(self):
        super().setUp()
        self.uid = self.counter.make_demo("20.00")

    def place(self):
        return self.page.script(PLACE)

    def open_beside(self):
        """Another tab, as another cashier has it: both are seen."""
        driver = self.page.driver
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        second = driver.current_window_handle
        self.addCleanup(self.close_tab, second, first)
        return first, second

    def at(self, tab):
        self.page.driver.switch_to.window(tab)


class ChoosingTests(CountersCase):
    def test_the_page_asks_which_counter_it_is_and_the_browser_keeps_to_it(self):
        page = self.page
        page.open(until=ASKED)
        page.see("Counter 1", "Counter 2", "Reader ready: simulated reader")
        self.assertFalse(page.can_press("History"))
        self.assertEqual(self.place(), "/")
        page.press("Counter 2")
        page.see("Blank tag")
        self.assertEqual(self.place(), "/counters/2/")
        self.assertIn("Counter 2", page.driver.title)
        page.open(until="Blank tag")
        self.assertEqual(self.place(), "/counters/2/")
        # The name at the top leads back.
        page.press("Counter 2")
        page.see(ASKED, "You are here.")
        page.press("Counter 1")
        page.see("Amanda Gonzalez")
        page.open(until="Amanda Gonzalez")
        self.assertEqual(self.place(), "/counters/1/")

    def test_a_session_of_an_earlier_server_is_replaced_where_the_counter_is_chosen(self):
        page = self.page
        page.open(until=ASKED)
        page.see("Reader ready: simulated reader")
        page.script("for (const key of Object.keys(sessionStorage)) {"
                    " const kept = JSON.parse(sessionStorage.getItem(key));"
                    " if (kept?.token) sessionStorage.setItem(key,"
                    " JSON.stringify({ ...kept, token: 'A'.repeat(kept.token.length) })); }")
        page.driver.delete_all_cookies()
        page.open(until=ASKED)
        page.see("Reader ready: simulated reader")

    def test_an_address_binds_a_browser_to_its_counter(self):
        page = self.page
        page.open(at=2, until="Blank tag")
        page.open(at=1, until="Amanda Gonzalez")
        page.go("history")
        page.see("Takings of the day", "$20.00")
        # Nobody has chosen anything.
        page.open(until=ASKED)

    def test_a_counter_that_is_not_there_any_more_is_told(self):
        page = self.page
        page.open(at=9, until=ASKED)
        page.see("Counter 9 no longer exists.")
        # The address itself is not found, which the browser notes.
        self.assertTrue(all("404" in each for each in page.complaints()))
        page.press("Counter 1")
        page.see("Amanda Gonzalez")

    def test_who_logs_in_is_asked_for_the_counter_after_that_and_once(self):
        self.counter.add_cashier("Ann", PASSWORD)
        page = self.page
        page.open(until=LOGIN)
        self.assertNotIn("simulated reader", page.text())
        page.type("Cashier", "Ann")
        page.type("Password", PASSWORD)
        page.press("Log in")
        page.see(ASKED, "Reader ready: simulated reader")
        page.press("Counter 1")
        page.see("Cashier Ann", "Amanda Gonzalez")
        page.press("Log out")
        page.see(LOGIN, "Counter 1")


class ApartTests(CountersCase):
    def test_each_page_follows_its_own_reader_and_waits_for_its_own_card(self):
        page, counter = self.page, self.counter
        counter.take(at=2)
        page.open("pay", at=1)
        page.see("Amanda Gonzalez")
        first, second = self.open_beside()
        page.open("pay", at=2)
        page.see("Choose an amount")
        page.press("$1.00")
        page.stage("waiting")
        self.at(first)
        page.press("$2.50")
        page.stage("done")
        page.see("$17.50 left")
        self.assertNotIn("Another page", page.text())
        self.at(second)
        page.stage("waiting")
        # The card is carried over: it leaves the other reader, and its payment is seen here.
        counter.put(self.uid, at=2)
        page.stage("done")
        page.see("$16.50 left")
        self.at(first)
        page.see_no("Amanda Gonzalez")
        page.see("Choose an amount")
        self.assertEqual(sorted(counter.done("pay")), ["-1.00", "-2.50"])
        self.assertAudited()

    def test_an_unknown_outcome_stays_at_its_counter(self):
        page, counter = self.page, self.counter
        page.open("pay", at=1)
        page.see("Amanda Gonzalez")
        counter.tear("4 pulled-after")
        page.press("$2.50")
        page.stage("unknown")
        page.open("pay", at=2, until="Blank tag")
        self.assertEqual(page.count(".stage"), 0)
        page.open("pay", at=1)
        page.see("Not sure it went through, $2.50")
        counter.put(self.uid)
        page.stage("done")
        page.see("$17.50 left")
        self.assertEqual(counter.done("pay"), ["-2.50"])

    def test_a_reader_that_fails_is_that_of_its_counter(self):
        page, counter = self.page, self.counter
        page.open("pay", at=1)
        page.see("Amanda Gonzalez")
        first, second = self.open_beside()
        page.open(at=2)
        path = counter.tags_of(2)
        with open(path, encoding="utf-8") as file:
            tags = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write("nonsense")
        page.see("No reader", "What to do")
        page.go("health")
        page.see("Counter 1. Reader ready: simulated reader", "Counter 2. No reader")
        self.at(first)
        page.press("$1.00")
        page.stage("done")
        page.see("Reader ready", "$19.00 left")
        with open(path, "w", encoding="utf-8") as file:
            file.write(tags)
        self.at(second)
        page.see("Reader ready", "Counter 2. Reader ready")

    def test_the_simulated_readers_share_their_stickers(self):
        page, counter = self.page, self.counter
        page.open(at=2, until="Blank tag")
        page.press("Simulated reader")
        page.press(f"Put on {self.uid}")
        page.see("Amanda Gonzalez")
        counter.wait("the first reader is empty",
                     lambda: counter.call("GET", "card")["session"] is None)


class FewerCountersTests(BrowserCase):
    counters = 2
    loses_server = True

    def test_a_page_whose_counter_is_taken_away_says_so(self):
        page, counter = self.page, self.counter
        page.open(at=2, until="Blank tag")
        counter.server.stop()
        counter.options = ()
        counter.start()
        page.see("Counter 2 no longer exists.", "Counter 1")
        page.press("Counter 1")
        page.see("Blank tag", "Reader ready")
        self.assertEqual(page.script(PLACE), "/counters/1/")
