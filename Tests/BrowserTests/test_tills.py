"""Two tills on one server: each page shows its own till and nothing from the other."""

from case import BrowserCase
from test_cashiers import LOGIN, PASSWORD

ASKED = "Choose your till"
PLACE = "return location.pathname"


class TillsCase(BrowserCase):
    tills = 2

    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("20.00")

    def place(self):
        return self.page.script(PLACE)

    def open_beside(self):
        """Opens another tab, as another cashier would, with both visible."""
        driver = self.page.driver
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        second = driver.current_window_handle
        self.addCleanup(self.close_tab, second, first)
        return first, second

    def at(self, tab):
        self.page.driver.switch_to.window(tab)


class ChoosingTests(TillsCase):
    def test_the_page_asks_which_till_it_is_and_the_browser_keeps_to_it(self):
        page = self.page
        page.open(until=ASKED)
        page.see("Till 1", "Till 2", "Reader ready: simulated reader")
        self.assertFalse(page.can_press("History"))
        self.assertEqual(self.place(), "/")
        page.press("Till 2")
        page.see("Blank tag")
        self.assertEqual(self.place(), "/tills/2/")
        self.assertIn("Till 2", page.driver.title)
        page.open(until="Blank tag")
        self.assertEqual(self.place(), "/tills/2/")
        # The name at the top leads back to the list of tills.
        page.press("Till 2")
        page.see(ASKED, "You are here.")
        page.press("Till 1")
        page.see("Amanda Gonzalez")
        page.open(until="Amanda Gonzalez")
        self.assertEqual(self.place(), "/tills/1/")

    def test_a_session_of_an_earlier_server_is_replaced_where_the_till_is_chosen(self):
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

    def test_an_address_binds_a_browser_to_its_till(self):
        page = self.page
        page.open(at=2, until="Blank tag")
        page.open(at=1, until="Amanda Gonzalez")
        page.go("history")
        page.see("Daily totals, all tills", "$20.00")
        # Nobody has chosen a till.
        page.open(until=ASKED)

    def test_a_till_that_is_not_there_any_more_is_told(self):
        page = self.page
        page.open(at=9, until=ASKED)
        page.see("There is no till 9.")
        # The address itself is not found, which the browser logs.
        self.assertTrue(all("404" in each for each in page.complaints()))
        page.press("Till 1")
        page.see("Amanda Gonzalez")

    def test_who_logs_in_is_asked_for_the_till_after_that_and_once(self):
        self.till.add_cashier("Ann", PASSWORD)
        page = self.page
        page.open(until=LOGIN)
        self.assertNotIn("simulated reader", page.text())
        page.type("Name", "Ann")
        page.type("Password", PASSWORD)
        page.press("Log in")
        page.see(ASKED, "Reader ready: simulated reader")
        page.press("Till 1")
        page.see("Cashier: Ann", "Amanda Gonzalez")
        page.press("Log out")
        page.see(LOGIN, "Till 1")


class ApartTests(TillsCase):
    def test_each_page_follows_its_own_reader_and_waits_for_its_own_card(self):
        page, till = self.page, self.till
        till.take(at=2)
        page.open("home", at=1)
        page.see("Amanda Gonzalez")
        first, second = self.open_beside()
        page.open("home", at=2)
        page.see("Tap a card")
        page.take("$1.00")
        page.panel("waiting")
        self.at(first)
        page.take("$2.50")
        page.panel("done")
        page.see("$17.50 left")
        self.assertNotIn("Another page", page.text())
        self.at(second)
        page.panel("waiting")
        # The card is moved: it leaves the other reader, and its payment is seen here.
        till.put(self.uid, at=2)
        page.panel("done")
        page.see("$16.50 left")
        self.at(first)
        page.see("Tap a card")
        self.assertEqual(sorted(till.done("pay")), ["-1.00", "-2.50"])
        self.assertAudited()

    def test_an_unknown_outcome_stays_at_its_till(self):
        page, till = self.page, self.till
        page.open("home", at=1)
        page.see("Amanda Gonzalez")
        till.tear("4 pulled-after")
        page.take("$2.50")
        page.panel("unknown")
        page.open("home", at=2, until="Blank tag")
        self.assertEqual(page.count(".panel"), 0)
        page.open("home", at=1)
        page.see("Outcome unknown, $2.50")
        till.put(self.uid)
        page.panel("done")
        page.see("$17.50 left")
        self.assertEqual(till.done("pay"), ["-2.50"])

    def test_a_reader_that_fails_is_that_of_its_till(self):
        page, till = self.page, self.till
        page.open("home", at=1)
        page.see("Amanda Gonzalez")
        first, second = self.open_beside()
        page.open(at=2)
        path = till.tags_of(2)
        with open(path, encoding="utf-8") as file:
            tags = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write("nonsense")
        page.see("No reader", "See details")
        page.go("health")
        page.see("Till 1. Reader ready: simulated reader", "Till 2. No reader")
        self.at(first)
        page.take("$1.00")
        page.panel("done")
        page.see("Reader ready", "$19.00 left")
        with open(path, "w", encoding="utf-8") as file:
            file.write(tags)
        self.at(second)
        page.see("Reader ready", "Till 2. Reader ready")

    def test_the_simulated_readers_share_their_stickers(self):
        page, till = self.page, self.till
        page.open(at=2, until="Blank tag")
        page.press("Simulated reader")
        page.press(f"Put on reader {self.uid}")
        page.see("Amanda Gonzalez")
        till.wait("the first reader is empty",
                     lambda: till.call("GET", "card")["session"] is None)


class FewerTillsTests(BrowserCase):
    tills = 2
    loses_server = True

    def test_a_page_whose_till_is_taken_away_says_so(self):
        page, till = self.page, self.till
        page.open(at=2, until="Blank tag")
        till.server.stop()
        till.options = ()
        till.start()
        page.see("There is no till 2.", "Till 1")
        page.press("Till 1")
        page.see("Blank tag", "Reader ready")
        self.assertEqual(page.script(PLACE), "/tills/1/")
