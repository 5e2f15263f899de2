"""Cards are made, read, and managed by an operator."""

import shutil

from case import BrowserCase


class MakingTests(BrowserCase):
    def test_a_blank_tag_becomes_the_demo_user(self):
        self.page.open()
        self.page.see("Blank tag", "Turn this tag into a card",
                      "Turn this tag into a demo card, or issue it as a new card.")
        self.assertNotIn("tapcard demo", self.page.text())
        self.page.press("Make demo card")
        self.page.panel("done")
        self.page.see("Demo card ready")
        self.page.leave_check()
        self.page.see("Amanda Gonzalez", "No. 1", "$0.00", "Code hidden")
        self.assertEqual(self.till.read()["name"], "Amanda Gonzalez")

    def test_a_card_is_issued_with_what_was_typed(self):
        self.page.open("issue")
        self.page.type("Customer name (optional)", "Eva Novak")
        self.page.type("Customer number (optional)", "0")
        self.page.type("Starting balance (cash received)", "5,0")
        self.page.press("Issue card")
        self.page.see("Enter a whole number from 1", "enter 5.0")
        self.page.type("Customer number (optional)", "9")
        self.page.type("Starting balance (cash received)", "5.00")
        self.page.field("No scratch code").click()
        self.page.press("Issue card")
        self.page.panel("done")
        self.page.see("Card issued")
        self.page.leave_check()
        self.page.go("home")
        self.page.see("Eva Novak", "No. 9", "$5.00", "No scratch code")
        self.assertAudited()

    def test_an_account_is_closed_only_when_asked_about(self):
        self.till.make_demo("5.00")
        self.page.open("issue")
        self.page.press("Issue card")
        self.page.see("This card is in use")
        self.page.press("Cancel")
        self.page.wait("!document.querySelector('dialog')")
        self.assertEqual(self.till.read()["balance"], "5.00")
        self.page.type("Customer name (optional)", "Eva")
        self.page.press("Issue card")
        self.page.see("Cash to pay out from the old account: $5.00.")
        self.page.press("Close and issue new card")
        self.page.panel("done")
        self.page.see("Give the customer $5.00")
        read = self.till.read()
        self.assertEqual((read["name"], read["balance"]), ("Eva", "0.00"))
        self.assertAudited()

    def test_a_name_that_does_not_fit_is_refused_before_anything_is_written(self):
        self.page.open("issue")
        self.page.type("Customer name (optional)", "x" * 60)
        self.page.press("Issue card")
        self.page.panel("failed")
        self.page.press("Back")
        self.page.go("home")
        self.page.see("Blank tag")


class CardToolsTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("12.50")
        self.page.open("cards")
        self.page.see("Amanda Gonzalez")

    def act(self, name, *words):
        self.page.press(name)
        self.page.see(f"{name}?", *words)
        self.assertEqual(self.page.focused(), "Cancel")
        self.page.press(name)
        self.page.panel("done")
        self.page.leave_check()

    def test_a_blocked_card_moves_no_money_until_it_is_allowed_again(self):
        self.act("Block", "will be refused until you unblock the card")
        self.page.go("home")
        self.page.see("This card or tag cannot be charged or topped up.")
        self.assertFalse(self.page.can_press("$1.00"))
        self.page.go("cards")
        self.act("Unblock")
        self.page.go("home")
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-1.00"])

    def test_a_card_that_is_not_there_is_blocked_by_its_number(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.type("Card number", "04zz")
        self.page.press("Block")
        self.page.see("Enter all 14 characters of the card number")
        self.page.type("Card number", self.uid.lower())
        self.act("Block", "Card 04")
        self.till.put()
        self.page.go("home")
        self.page.see("This card is blocked. The operator can unblock it in Card tools.")

    def test_a_card_is_paid_out_and_closed(self):
        self.page.press("Pay out and close")
        self.page.see("closed for good", "Cash to pay out: $12.50.")
        self.page.listen()
        self.page.press("Pay out and close")
        self.page.panel("done")
        self.page.see("Give the customer $12.50")
        self.page.hear("Card closed. Give the customer $12.50")
        self.page.leave_check()
        self.assertEqual(self.till.done("close"), ["-12.50"])
        self.assertAudited()

    def test_nothing_is_paid_out_before_it_is_known_how_much(self):
        self.till.take()
        self.page.see("Tap a card")
        self.assertFalse(self.page.can_press("Pay out and close"))

    def test_a_name_is_forgotten(self):
        self.act("Delete name")
        self.page.see("Unnamed card")
        self.assertIsNone(self.till.read()["name"])

    def test_a_card_is_written_anew(self):
        self.act("Repair")
        self.page.see("$12.50")
        self.assertAudited()

    def test_a_lost_card_is_replaced_on_a_new_tag(self):
        self.page.press("Replace")
        self.page.see("Enter all 14 characters of the card number")
        self.till.put("NTAG213")
        self.page.see("Blank tag")
        self.page.type("Card number", self.uid)
        self.act("Replace", "will stop working for good")
        self.page.see("$12.50")
        self.assertNotEqual(self.till.read()["uid"], self.uid)
        self.till.put(self.uid)
        self.page.wait("/This card (is blocked|was replaced)/.test(document.body.innerText)")
        self.page.go("home")
        self.page.take("1.00")
        self.assertEqual(self.page.count(".moment"), 0)
        self.assertAudited()


class StrangerTests(BrowserCase):
    loses_server = True

    def test_a_card_of_another_station_is_taken_over_for_what_it_says(self):
        # Another station with the same keys made the card.
        self.till.server.stop()
        other = f"{self.till.home}/other"
        self.till.run("issue", "--name", "Eva", "--balance", "20", HOME=other)
        data, ours = (f"{home}/.local/share/tapcard/simulated" for home in (other, self.till.home))
        for name in ("keys.json", "simulation.txt"):
            shutil.copy(f"{data}/{name}", f"{ours}/{name}")
        self.till.start()
        self.page.open("cards")
        self.page.see("This card is not in the ledger", "Eva", "$20.00")
        self.page.go("home")
        self.page.see("This card or tag cannot be charged or topped up.")
        self.page.go("cards")
        self.page.type("Balance to carry over", "19,0")
        self.page.press("Convert")
        self.page.see("enter 19.0")
        self.page.type("Balance to carry over", "19.00")
        self.page.press("Convert")
        self.page.see("Convert?", "Only the balance you entered")
        self.page.press("Convert")
        self.page.panel("failed")
        self.page.press("Back")
        self.page.type("Balance to carry over", "20.00")
        self.page.press("Convert")
        self.page.press("Convert")
        self.page.panel("done")
        self.page.see("Card converted", "Balance $20.00")
        self.page.leave_check()
        self.page.go("home")
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-1.00"])
        self.assertAudited()


class LookingTests(BrowserCase):
    def test_the_page_follows_the_reader(self):
        uid = self.till.make_demo("12.50")
        self.till.take()
        self.page.open()
        self.page.see("Tap a card")
        self.till.put(uid)
        self.page.see("Amanda Gonzalez", "$12.50")
        self.till.take()
        self.page.see("Tap a card")

    def test_several_tags_are_none(self):
        self.till.make_demo()
        self.page.open()
        self.till.take()
        self.page.see("Tap a card")
        self.till.put("NTAG213", self.till.tags()[0]["uid"])
        self.page.wait("document.querySelector('.card.blank')")
        self.assertFalse(self.page.can_press("Make demo card"))
        self.page.go("home")
        self.page.take("1.00")
        self.assertEqual(self.page.count(".moment"), 0)

    def test_an_old_image_is_named_and_pays_nothing(self):
        self.till.make_demo("12.50")
        dump = f"{self.till.home}/old"
        self.till.server.stop()
        self.till.run("tag", "dump", dump)
        self.till.start()
        for _ in range(3):
            self.till.call("POST", "pay", {"amount": "1.00"})
        self.till.server.stop()
        self.till.run("tag", "restore", dump, "--overwrite")
        self.till.start()
        self.page.open()
        self.page.see("Card not accepted", "repair it by entering its number")
        self.page.go("home")
        self.page.take("1.00")
        self.assertEqual(self.page.count(".moment"), 0)

    def test_an_unknown_page_leads_back(self):
        self.page.open("nowhere")
        self.page.see("Page not found")
        self.page.press("Back")
        self.page.see("Blank tag")
