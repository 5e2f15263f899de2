"""The owner's page of tills whose readers are on other machines, and the pages of these tills."""

from case import BrowserCase
from till import Machine

PASSWORD = "sesame-open"
COMMAND = "return document.querySelector('.command code').textContent"
NAMES = "return [...document.querySelectorAll('.till-row strong')].map((each) => each.textContent)"


class MachinesCase(BrowserCase):
    def start(self, *options):
        """Starts a till's machine."""
        machine = Machine(self.till, *options)
        self.addCleanup(machine.close)
        return machine

    def connect(self, name, *options):
        """Adds a till from the command line, and connects a machine."""
        code = self.till.run("tills", "add", name, *options)["code"]
        return self.start("--server", self.till.url, "--code", code)


class ManageTillsTests(MachinesCase):
    loses_server = True

    def setUp(self):
        super().setUp()
        self.page.open("health")
        self.page.press("Manage tills")
        self.page.see("No tills yet.")

    def add(self, name):
        self.page.press("Add till")
        self.page.type("Name", name)
        self.page.press("Add till")
        self.page.see(f"Code for till {name}", "valid for 10 minutes")

    def run_shown(self):
        """Runs the command that the page shows, as somebody at the till's machine would."""
        program, verb, *options = self.page.script(COMMAND).split()
        self.assertEqual((program, verb), ("tapcard", "reader"))
        return self.start(*options)

    def test_a_till_is_added_connected_renamed_and_removed(self):
        page = self.page
        self.add("Bar")
        page.see("Not connected yet.")
        machine = self.run_shown()
        page.see("Connected. Last seen:", "/tills/101/", "Reader: simulated reader")
        page.press("Done")
        page.see_no("Code for till Bar")
        page.press("Edit Bar")
        page.type("Name", "Terrace")
        page.press("Rename")
        page.see("Terrace", "Connected. Last seen:")
        self.assertEqual(page.script(NAMES), ["Terrace"])
        page.press("Edit Terrace")
        page.press("Remove")
        page.see("Remove till Terrace?", "Within about a second, its machine is cut off")
        page.press("Cancel")
        page.press("Remove")
        page.press("Remove")
        page.see("No tills yet.")
        status, said = machine.end()
        self.assertEqual(status, 8)
        self.assertIn("The server does not accept this till", said)

    def test_a_new_code_connects_another_machine_and_cuts_off_the_first(self):
        self.add("Bar")
        first = self.run_shown()
        self.page.see("Connected. Last seen:")
        self.page.press("Edit Bar")
        self.page.press("New code")
        self.page.see_no("Rename")
        self.run_shown()
        self.assertEqual(first.end()[0], 8)
        self.page.see("Connected. Last seen:")

    def test_a_name_that_cannot_be_used_is_refused(self):
        page = self.page
        self.add("Bar")
        page.press("Add till")
        page.press("Add till")
        page.see("Enter a name.")
        for name, words in (("Bar", "already a till named Bar"), ("7", "must not be a number")):
            page.type("Name", name)
            page.press("Add till")
            page.see(words)
        page.press("Cancel")
        self.assertEqual(page.script(NAMES), ["Bar"])

    def test_a_till_with_a_machine_that_is_trusted_is_marked(self):
        page = self.page
        page.press("Add till")
        page.type("Name", "Office")
        page.field("Cards can be made at this till").click()
        page.press("Add till")
        page.see("Cards can be made there.")
        self.assertTrue(self.till.call("GET", "tills")["tills"][0]["trusted"])

    def test_after_a_restore_each_till_waits_until_it_is_confirmed(self):
        page, till = self.page, self.till
        self.add("Bar")
        self.run_shown()
        page.see("Connected. Last seen:")
        backup = f"{till.home}/backup.sqlite"
        till.run("backup", backup)
        till.server.stop()
        till.run("restore-backup", backup)
        till.start()
        page.see("Waiting for confirmation, because the ledger was restored.")
        page.press("Confirm Bar")
        page.see("Connected. Last seen:")

    def test_only_an_owner_sees_the_tills(self):
        self.till.add_cashier("Ola", PASSWORD)
        self.till.run("cashiers", "add", "Cat", "--role", "cashier",
                      TAPCARD_CASHIER_PASSWORD=PASSWORD)
        page = self.page
        page.open("health", until="Log in to start.")
        page.type("Name", "Cat")
        page.type("Password", PASSWORD)
        page.press("Log in")
        page.see("Cashier: Cat", "Diagnostics")
        page.see_no("Manage tills")
        page.go("manage-tills")
        page.see("Page not found")


class RemoteTillPageTests(MachinesCase):
    options = ("--no-reader",)

    def expect_missing(self):
        """The page of a till that does not exist is not found, which the browser logs."""
        self.assertTrue(all("404" in each for each in self.page.complaints()))

    def test_the_page_of_a_till_shows_its_name_and_its_card(self):
        page = self.page
        self.connect("Bar")
        page.open(at=101, until="Till Bar")
        page.see("Reader ready", "Blank tag", "Use a till where they may be made.")
        page.see_no("Turn this tag into a demo card")
        self.assertIn("Till Bar", page.driver.title)
        page.go("issue")
        page.see("Cards cannot be made at this till.")
        self.connect("Office", "--trusted")
        page.press("Till Bar")
        page.press("Till Office")
        page.see("Make demo card")
        page.press("Make demo card")
        page.see("Amanda Gonzalez")
        # The browser has kept the choice.
        page.open(until="Till Office")

    def test_a_lost_connection_is_told_with_the_time_until_it_is_back(self):
        page = self.page
        machine = self.connect("Bar")
        page.open(at=101, until="Till Bar")
        page.see("Reader ready")
        machine.kill()
        lost = ("This till's reader is not connected to the server. Last seen: ",
                "Check that the reader's machine is on")
        page.see("No reader", *lost)
        page.go("health")
        page.see("Manage tills", "is not connected to this server, or does not respond.", *lost)
        self.addCleanup(machine.again(self.till).close)
        page.see("Reader ready")
        page.go("home")
        page.see("Blank tag")
        page.see_no("not connected")

    def test_a_removed_till_is_told_and_a_new_one_is_offered(self):
        page = self.page
        machine = self.connect("Bar")
        page.open(at=101, until="Till Bar")
        page.see("Reader ready")
        self.till.run("tills", "remove", "Bar")
        page.see("There is no till 101.", "There are no tills yet.")
        self.assertEqual(machine.end()[0], 8)
        self.connect("Terrace")
        page.press("Till Terrace")
        page.see("Reader ready", "Blank tag")

    def test_a_page_that_was_opened_too_early_finds_its_till(self):
        page = self.page
        page.open(at=101, until="There is no till 101. If you have just added it, connect its machine")
        self.expect_missing()
        self.connect("Bar")
        page.see("Till Bar", "Reader ready", "Blank tag")
