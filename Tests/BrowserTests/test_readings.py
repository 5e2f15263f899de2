"""What a cashier sees for a card that is not genuine, and which action is offered for it."""

import readings
from case import BrowserCase
from test_offline import DANGER

UNVERIFIED = "This till cannot tell whether this card is genuine."
OLD = "This card's data is out of date; there may be a copy."
GENUINE = "Genuine NTAG 424 chip"
# The expected words; the first are shown where a card is drawn without an amount.
CHIPS = {
    readings.factory_clone: ("Copied card", "This is a copy of a card and holds no money."),
    readings.clone: ("Copied card", "This is a copy of a card and holds no money."),
    readings.chip_of_another_issuer: ("Cannot be verified", UNVERIFIED),
    readings.other_issuer_with_our_version:
        ("Cannot be verified", "This card is from another business."),
    readings.card_with_foreign_keys: ("Cannot be verified", UNVERIFIED),
    readings.old_chip: ("$9.50", OLD),
    readings.forged_chip: ("$11.50", "This card is forged; the balance in the ledger is safe."),
    readings.ahead: ("$12.50", "The card's data is newer than the ledger's."),
}
PAGES = {
    readings.other_issuer:
        ("Amanda Gonzalez", "This card is from another business, or is not genuine."),
    readings.other_key: ("Amanda Gonzalez", UNVERIFIED),
    readings.copied_pages: ("$12.50", "This is a copy of a card and holds no money."),
    readings.old_pages: ("$9.50", OLD),
}
SENTENCES = """
return [...document.querySelectorAll('.note.bad :is(strong, p)')].map((it) => it.innerText).join(' ')
"""
OVER = "Overwrite this tag?"
MOVE = "The operator can move the balance to another tag with Replace in Card tools."
NOTHING = "This card is worn out or has been tampered with; the balance is safe."
IN_THE_WAY = "This tag cannot become the new card. Put a different tag on the reader."
# The server's report on a chip whose key version changes with every read.
UNTRUE = """
const [done] = arguments;
Promise.all([import("/api.js"), import("/store.js")]).then(([{ withProblem }, { change }]) => {
  change({ card: withProblem({ session: 1, read: null, problem: {
    status: 409, error: "key-missing", result: "untrusted", title: "The tag has refused two keys.",
    meaning: "No other key was tried.", next: [{ step: "replace-if-genuine" }] } }) });
  done();
});
"""


class ReadingCase(BrowserCase):
    loses_server = True

    def setUp(self):
        super().setUp()
        self.drawer = readings.Drawer(self.till)


class AlarmTests(ReadingCase):
    def judge(self, make, words):
        with self.subTest(make.__name__):
            make(self.drawer)
            self.page.open()
            self.page.see(DANGER, *words)
            # All of them have the same colors, and none has words from the command line.
            self.assertEqual(self.page.count(".card:is(.doubtful, .grave)"), 1)
            self.assertEqual(self.page.count(".note.bad"), 1)
            said = self.page.script(SENTENCES)
            self.assertLessEqual(said.count(". ") + 1, 2, said)
            self.assertNotRegex(said, r"[0-9A-F]{6}|version|tapcard")
            self.assertNotIn("Genuine", self.page.text())
            for name in ("Payment", "Top-up", "Make demo card", "Issue card"):
                self.assertFalse(self.page.can_press(name), name)

    def test_a_chip_that_is_refused_alarms(self):
        for make, words in CHIPS.items():
            self.judge(make, words)

    def test_a_tag_with_pages_that_is_refused_alarms(self):
        for make, words in PAGES.items():
            self.judge(make, words)

    def test_the_alarm_is_spoken_as_well(self):
        readings.clone(self.drawer)
        self.till.take()
        self.page.open()
        self.page.see("Tap a card")
        self.page.listen()
        self.till.put()
        self.page.hear(f"{DANGER}. This is a copy of a card and holds no money. "
                       "Don't give this copy back; the real card still works.")

    def test_a_killed_key_is_no_copy(self):
        readings.dead_key(self.drawer)
        self.page.open()
        told = ("Needs replacement", NOTHING, MOVE)
        self.page.see(*told)
        self.assertNotIn(DANGER, self.page.text())
        self.assertNotIn("key 3", self.page.text())
        for view in ("home", "add"):
            self.page.go(view)
            self.page.see(*told)
        self.page.go("cards")
        self.page.see("Manage the card", IN_THE_WAY)
        for name in ("Issue card", "Replace"):
            self.assertFalse(self.page.can_press(name), name)
        self.till.take()
        self.page.see("Enter a lost card's number to move its balance to this tag.")
        self.page.see_no(IN_THE_WAY)
        self.assertTrue(self.page.can_press("Replace"))

    def test_a_chip_that_changes_what_it_says_is_in_doubt(self):
        self.till.put("NTAG424")
        self.page.open()
        self.page.driver.execute_async_script(UNTRUE)
        self.page.see(DANGER, "This card may be a copy, or it may not have been read properly.",
                      "If it is the customer's card, move the balance to another tag with Replace "
                      "in Card tools.")
        self.assertNotIn("Ask the operator", self.page.text())

    def test_a_blank_tag_does_not_alarm(self):
        for chip in ("NTAG213", "NTAG424"):
            self.till.put(chip)
            self.page.open()
            self.page.see("Blank tag", "Turn this tag into a card")
            self.assertEqual(self.page.count(".doubtful, .grave, .note.bad"), 0)


class OfferTests(ReadingCase):
    def card_tools(self, make):
        make(self.drawer)
        self.page.open("cards")
        self.page.see("Manage the card")
        self.page.wait("document.querySelector('.side .card:not(.slot)')")

    def test_nothing_is_offered_for_keys_that_are_not_here(self):
        for make in (readings.chip_of_another_issuer, readings.other_issuer_with_our_version,
                     readings.card_with_foreign_keys, readings.clone):
            with self.subTest(make.__name__):
                self.card_tools(make)
                self.page.see(DANGER)
                for name in ("Issue card", "Make demo card", "Convert", "Repair", "Block"):
                    self.assertFalse(self.page.can_press(name), name)
                self.page.go("issue")
                self.page.see("Any phone can read the customer's name")
                self.assertFalse(self.page.can_press("Issue card"))

    def write_over(self, make):
        self.card_tools(make)
        self.page.press("Make demo card")
        self.page.see(OVER)
        self.page.press("Overwrite")
        self.page.panel("done")
        self.page.leave_check()
        self.assertEqual(self.till.read()["ledger"], "known")
        self.assertAudited()

    def test_pages_of_another_issuer_are_written_over_when_somebody_says_so(self):
        self.write_over(readings.other_issuer)

    def test_pages_under_a_key_that_is_not_here_are_written_over_as_well(self):
        self.write_over(readings.other_key)

    def test_a_locked_tag_becomes_no_card(self):
        readings.locked_tag(self.drawer)
        self.page.open()
        self.page.see("Blank tag", "Use another tag.")
        self.assertNotIn("Turn this tag into a card", self.page.text())
        self.page.go("cards")
        self.page.see("Manage the card")
        self.assertFalse(self.page.can_press("Issue card"))

    def test_a_tag_that_its_maker_has_not_signed_becomes_no_card(self):
        readings.untrue_signature(self.drawer)
        self.page.open()
        self.page.see("Blank tag", "Use another tag.")
        self.assertNotIn("Turn this tag into a card", self.page.text())
        for view, name in (("cards", "Issue card"), ("cards", "Make demo card"),
                           ("issue", "Issue card")):
            self.page.go(view)
            self.page.see("Manage the card" if view == "cards" else "Any phone can read")
            self.assertFalse(self.page.can_press(name), name)

    def test_what_is_no_card_is_taken_over_by_nobody(self):
        self.till.put("NTAG424")
        self.page.open("cards")
        self.page.see("Blank tag")
        self.assertFalse(self.page.can_press("Convert"))
        self.assertTrue(self.page.can_press("Issue card"))

    def test_a_blocked_card_is_asked_no_account_for(self):
        readings.card(self.till, "NTAG424")
        self.till.call("POST", "block", {})
        self.page.open("issue")
        self.page.see("This card is blocked")
        self.page.press("Issue card")
        self.page.panel("failed")
        self.page.see("is blocked and cannot be reissued", "The operator can unblock it in Card tools.")
        self.assertEqual(self.page.count("dialog"), 0)


class EndedTests(ReadingCase):
    def issue_again(self, told):
        self.page.open()
        self.page.see(told, "Use this tag for a new card")
        self.page.press("Issue new card")
        self.page.type("Customer name (optional)", "Eva")
        self.page.press("Issue card")
        self.page.see("This tag used to be a card", "Its old account is closed.")
        self.assertEqual(self.page.focused(), "Cancel")
        self.page.press("Issue new card")
        self.page.panel("done")
        self.page.leave_check()
        read = self.till.read()
        self.assertEqual((read["name"], read["balance"], read["ledger"]), ("Eva", "0.00", "known"))
        self.assertAudited()

    def test_a_closed_card_is_issued_again(self):
        for chip in ("NTAG213", "NTAG424"):
            with self.subTest(chip):
                uid = readings.card(self.till, chip)
                self.till.call("POST", "close", {"card": uid})
                self.issue_again("This card is closed.")

    def test_the_tag_of_a_replaced_card_is_issued_again(self):
        lost = readings.card(self.till, "NTAG424")
        self.till.put("NTAG213")
        self.till.call("POST", "replace", {"card": lost})
        self.till.put(lost)
        self.issue_again("This card was replaced.")


class KindTests(ReadingCase):
    def test_a_card_says_on_which_chip_it_is(self):
        readings.card(self.till, "NTAG424")
        self.page.open()
        self.page.see("Amanda Gonzalez", GENUINE)
        self.till.call("POST", "block", {})
        self.page.see("This card is blocked")
        self.assertNotIn("Genuine", self.page.text())
        readings.card(self.till, "NTAG213")
        self.page.see("NTAG213")
        self.page.see_no("NTAG 424")
        self.assertNotIn("Genuine", self.page.text())

    def test_a_password_is_offered_only_where_it_means_something(self):
        protect, proven = "Require a password to write", "needs no password"
        self.page.open("issue")
        self.page.see("Blank tag", protect)
        self.page.field(protect).click()
        self.till.put("NTAG424")
        self.page.see(proven)
        self.page.see_no(protect)
        self.page.press("Issue card")
        self.page.panel("done")
        self.page.leave_check()
        self.page.see(GENUINE, proven)
        self.till.take()
        self.page.see(protect)


    def test_the_chip_takes_no_room_from_the_name_on_a_small_phone(self):
        readings.card(self.till, "NTAG424")
        self.page.look((320, 640))
        self.page.open("cards")
        self.page.see(GENUINE)
        lines = ("return document.querySelector('.mark span').offsetHeight"
                 " / parseFloat(getComputedStyle(document.querySelector('.mark')).lineHeight)")
        self.assertLess(self.page.script(lines), 1.5)
