"""A card left on the reader is charged once, unless somebody confirms another charge."""

from case import BrowserCase

AGAIN = "Charge again"


class SameCardTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("20.00")
        self.page.open("home")

    def pay(self, amount="$2.50"):
        self.page.take(amount)
        self.page.panel("done")
        self.page.leave_check()

    def assertAsked(self):
        self.page.see("Already paid", AGAIN)
        # Charge is for the next card.
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.page.press("Cancel")

    def test_a_card_left_there_is_charged_again_only_when_somebody_says_so(self):
        self.page.see("Amanda Gonzalez")
        self.pay()
        self.assertAsked()
        self.page.type_amount("2.50")
        self.page.press(AGAIN)
        self.page.panel("done")
        self.assertAsked()
        self.assertEqual(self.till.done("pay"), ["-2.50"] * 2)

    def test_a_card_that_came_for_the_payment_is_asked_about_as_well(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.put()
        self.page.panel("done")
        self.page.leave_check()
        self.assertAsked()

    def test_a_card_that_comes_again_is_another_matter(self):
        self.page.see("Amanda Gonzalez")
        self.pay()
        self.assertAsked()
        self.till.take()
        self.page.see("Tap a card")
        self.till.put()
        self.page.see("$17.50")
        self.pay()
        self.assertEqual(self.till.done("pay"), ["-2.50"] * 2)

    def test_what_another_till_has_charged_counts_too(self):
        self.page.see("Amanda Gonzalez")
        self.till.call("POST", "pay", {"amount": "1.00"})
        self.assertAsked()

    def test_a_top_up_is_not_made_twice_either_but_may_be_spent(self):
        self.page.go("add")
        self.page.see("Amanda Gonzalez")
        self.pay("$10.00")
        self.page.go("add")
        self.page.see("Already topped up", "Top up again")
        self.page.go("home")
        self.pay()
        self.assertAsked()


    def test_what_was_meant_for_this_card_is_not_taken_from_another(self):
        self.page.see("Amanda Gonzalez")
        self.page.script("""
          window.asked = [];
          const send = window.fetch;
          window.fetch = (path, options) => {
            if (String(path).endsWith("/pay")) asked.push(JSON.parse(options.body));
            return send(path, options);
          };
        """)
        self.pay()
        asked = self.page.script("return window.asked")
        self.assertEqual([each["card"] for each in asked], [self.uid])


class SameTicketTests(BrowserCase):
    sandbox = True

    def test_a_ticket_is_not_sold_twice_with_one_more_tap(self):
        self.till.make_demo("20.00")
        self.page.open("tickets")
        self.page.see("Buy a ticket")
        self.page.press("Buy a ticket")
        self.page.panel("done")
        self.page.leave_check()
        self.page.see("Buy another ticket")
        self.assertFalse(self.page.can_press("Buy a ticket"))
        self.page.press("Buy another ticket")
        self.page.press("Buy a ticket")
        self.page.panel("done")
        self.assertEqual(len(self.till.done("ticket")), 2)
