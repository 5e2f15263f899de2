"""Draws and tickets, fresh from the lottery or from the cache."""

import json

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from case import BrowserCase
from test_lost_answers import INSTEAD

# More than fits on a card.
LARGE = "9999999"


class DrawTests(BrowserCase):
    sandbox = True

    def at(self, draw):
        self.page.wait("document.querySelector('.one-draw .id')?.innerText === arguments[0]", draw)

    def test_one_draw_and_its_neighbours_by_buttons_keys_and_swiping(self):
        self.page.open("draws")
        self.page.wait("document.querySelectorAll('.draw-row').length === 4")
        self.page.go("draws/draw-2")
        self.at("draw-2")
        self.page.see("Top prize")
        self.page.press("Next draw")
        self.at("draw-3")
        self.page.press("Previous draw")
        self.at("draw-2")
        self.page.keys(Keys.ARROW_RIGHT)
        self.at("draw-3")
        self.page.keys(Keys.ARROW_LEFT)
        self.at("draw-2")
        self.swipe(-120)
        self.at("draw-3")
        self.swipe(120)
        self.at("draw-2")
        self.page.go("draws/draw-4")
        self.at("draw-4")
        self.assertFalse(self.page.can_press("Next draw"))
        self.page.press("All draws")
        self.page.wait("document.querySelectorAll('.draw-row').length === 4")

    def swipe(self, way):
        date = self.page.wait("document.querySelector('.one-draw h2')")
        ActionChains(self.page.driver).move_to_element(date).click_and_hold() \
            .move_by_offset(way, 0).release().perform()

    def test_what_was_kept_says_how_old_it_is_only_when_nobody_could_be_asked(self):
        self.page.open("draws")
        self.page.wait("document.querySelectorAll('.draw-row').length === 4")
        self.assertNotIn("Last updated", self.page.text())
        self.page.go("tickets")
        self.page.see("No prize")
        self.till.make_demo("5.00")
        self.till.sandbox.stop()
        self.page.go("home")
        self.page.see("Amanda Gonzalez")
        self.page.go("draws")
        self.page.see("Last updated", "The list could not be updated")
        self.assertEqual(self.page.count(".draw-row"), 4)
        self.page.go("tickets")
        self.page.see("Last updated", "No prize")
        self.page.press("Buy a ticket")
        self.page.panel("failed")
        self.assertEqual(self.till.done("ticket"), [])

    def test_tickets_that_nobody_could_be_asked_for_are_not_said_to_be_none(self):
        self.page.open("draws")
        self.page.wait("document.querySelectorAll('.draw-row').length === 4")
        self.till.sandbox.stop()
        self.page.go("tickets")
        self.page.see("no connection could be made; perhaps nothing is listening there")
        self.assertNotIn("No tickets", self.page.text())

    def test_a_draw_that_is_none_is_refused(self):
        self.page.open("draws/nothing")
        self.page.see("Try again")
        self.assertNotIn("tapcard draws", self.page.text())


class UnreachedLotteryTests(BrowserCase):
    def test_what_was_never_heard_of_is_not_made_up(self):
        self.page.open("draws")
        self.page.see("Try again")
        self.assertEqual(self.page.count(".draw-row"), 0)


WRONG = ("The lottery names ball 70 (TAPCARD_LOTTERY_HIGHEST). Check the service's address with "
         "tapcard config, or ask the service's operator.")


class TicketTests(BrowserCase):
    sandbox = True

    def test_a_ticket_is_bought_listed_and_checked(self):
        uid = self.till.make_demo("20.00")
        self.page.open("tickets")
        self.page.see("Upcoming draws", "Won", "No prize")
        self.page.press("Buy a ticket for $2.00")
        self.page.panel("done")
        self.page.see("Ticket bought", "$18.00 left")
        self.page.leave_check()
        self.page.press("This card")
        self.page.see_no("No prize")
        self.till.sandbox.draw()
        self.till.take()
        self.page.press("Check a card's tickets")
        self.page.panel("waiting")
        self.till.put(uid)
        self.page.see("Card 04")
        self.assertEqual(self.till.done("ticket"), ["-2.00"])
        self.assertAudited()

    def test_what_a_service_got_wrong_is_told_without_commands_and_ids(self):
        self.till.make_demo("20.00")
        ticket = self.till.call("POST", "ticket/buy", {})["ticket"]["id"]
        self.till.put_again()
        self.page.open("draws")
        self.page.script(INSTEAD, "/tickets", 200, json.dumps(
            {**self.till.call("GET", "tickets"), "error": "service-bad-balls", "message": WRONG,
             "next": [{"step": "check-address"}]}))
        self.page.go("tickets")
        self.page.see("The lottery names ball 70.", "Upcoming", "Card 04",
                      "Ask the operator to check the service's address.")
        title, advice = WRONG.split(". ")
        self.page.script(INSTEAD, "/ticket/buy", 502, json.dumps({
            "status": 502, "error": "service-bad-balls", "result": "service",
            "title": f"{title}.", "meaning": "Nothing was charged.", "advice": advice,
            "next": [{"step": "check-address"}]}))
        self.page.press("Buy a ticket")
        self.page.see("Ticket purchase failed", "The lottery names ball 70.",
                      "Ask the operator to check the service's address.")
        for internal in ("tapcard config", "TAPCARD_", ticket):
            self.assertNotIn(internal, self.page.text())
        self.page.press("Back")
        self.page.see("Upcoming")
        self.page.go("history")
        self.page.see("Recent activity")
        self.assertNotIn(ticket, self.page.text())

    def test_a_prize_is_claimed_onto_the_card_once(self):
        self.drawn("5")
        self.page.press("Add to card")
        self.page.panel("done")
        self.page.see("Prize claimed", "Balance $23.00")
        self.page.leave_check()
        self.page.see("Won $5.00", "added to the card")
        self.assertFalse(self.page.can_press("Add to card"))
        self.assertEqual(self.till.done("claim"), ["5.00"])
        self.assertAudited()

    def test_a_prize_without_room_on_the_card_is_paid_out_of_the_drawer(self):
        self.drawn(LARGE)
        self.page.press("Pay out in cash")
        self.page.see("in cash?", "cannot be undone")
        self.page.press("Cancel")
        self.page.wait("!document.querySelector('dialog')")
        self.assertEqual(self.paid_out(), [])
        self.page.press("Pay out in cash")
        self.page.press("Pay out in cash")
        self.page.panel("done")
        self.page.see("Prize claimed", "Balance $18.00", f"Give the customer ${int(LARGE):,}.00")
        self.page.leave_check()
        self.page.see("paid out")
        self.assertFalse(self.page.can_press("Pay out in cash"))
        self.assertEqual(self.paid_out(), [f"{LARGE}.00"])
        self.assertAudited()

    def paid_out(self):
        return [each["paidOut"] for each in self.till.history() if each["paidOut"]]

    def drawn(self, prize):
        """Sets up a ticket that was bought and drawn, and won this amount."""
        self.till.environment["TAPCARD_PRIZES"] = " ".join(f"{hit}={prize}" for hit in range(7))
        self.till.server.stop()
        self.till.start()
        self.till.make_demo("20.00")
        self.till.call("POST", "ticket/buy", {})
        self.till.sandbox.draw()
        self.page.open("tickets")
        self.page.press("This card")
