"""Products that an owner edits on the page, and receipts."""

import socket
import threading

from selenium.webdriver.common.keys import Keys

from case import BrowserCase
from test_selling import CAKE, COFFEE, JUICE

TILES = "[...document.querySelectorAll('.product span')].map((each) => each.innerText)"
ROWS = "[...document.querySelectorAll('.product-row strong')].map((each) => each.innerText)"


class ProductsTests(BrowserCase):
    def setUp(self):
        super().setUp()
        for words in (COFFEE, JUICE, CAKE):
            self.till.run("products", "add", *words)
        self.page.open()
        self.page.see("Coffee")
        self.page.press("Edit products")
        self.page.see("Add product")

    def rows(self, *names):
        self.page.wait(f"String({ROWS}) === arguments[0]", ",".join(names))

    def tiles(self, *names):
        self.page.go("home")
        self.page.wait(f"String({TILES}) === arguments[0]", ",".join(names))

    def test_a_product_is_added_changed_and_no_longer_sold(self):
        self.rows("Coffee", "Juice", "Cake")
        self.page.press("Add product")
        self.page.type("Name", "Tea")
        self.page.type("Group, such as Drinks (optional)", "Drinks")
        self.page.type("Price", "2,20")
        self.page.type("Minimum age (optional)", "16")
        self.page.press("Save")
        self.rows("Coffee", "Juice", "Tea", "Cake")
        self.page.see("$2.20, minimum age 16")
        self.tiles("Coffee", "Juice", "Tea", "Cake")
        self.page.go("products")
        self.page.press("Edit Tea")
        self.page.type("Name", "Mint tea")
        self.page.type("Group, such as Drinks (optional)", " ")
        self.page.press("Save")
        self.rows("Coffee", "Juice", "Cake", "Mint tea")
        self.page.see("No group")
        self.page.press("Edit Mint tea")
        self.page.press("Stop selling")
        self.page.see("Stop selling Mint tea?")
        self.page.press("Stop selling")
        self.rows("Coffee", "Juice", "Cake")
        self.tiles("Coffee", "Juice", "Cake")

    def test_errors_stand_at_their_fields_and_nothing_is_saved(self):
        self.page.press("Add product")
        self.page.press("Save")
        self.page.see("Enter a name.", "is not an amount")
        self.page.type("Name", "coffee")
        self.page.type("Price", "2.205")
        self.page.type("Minimum age (optional)", "0")
        self.page.press("Save")
        self.page.see("There is already a product named coffee.", "too many decimal places",
                      "Enter an age from 1 to 99")
        self.assertEqual(
            self.page.script("return document.activeElement.id"), "product-name")
        self.page.press("Cancel")
        self.rows("Coffee", "Juice", "Cake")

    def test_sold_out_takes_one_press_and_shows_at_another_page(self):
        self.open_tab()
        self.page.open()
        self.page.see("Coffee")
        other = self.page.driver.window_handles
        self.page.driver.switch_to.window(other[0])
        self.page.press("Coffee is sold out")
        self.page.wait("document.querySelector('.product-row [aria-pressed=true]')")
        self.page.driver.switch_to.window(other[1])
        self.page.wait("document.querySelector('.product:disabled')")

    def test_a_product_moves_within_its_group_with_the_keyboard_alone(self):
        for _ in range(40):
            self.page.keys(Keys.TAB)
            if self.page.focused() == "Move Coffee down":
                break
        self.page.keys(Keys.ENTER)
        self.rows("Juice", "Coffee", "Cake")
        self.tiles("Juice", "Coffee", "Cake")
        self.page.go("products")
        self.page.press("Edit Cake")
        self.page.wait("document.activeElement.id === 'product-name'")
        self.page.keys(Keys.ESCAPE)
        self.page.wait("document.activeElement.id.startsWith('product-edit-')")

    def test_everything_is_large_enough_for_a_finger(self):
        self.page.press("Edit Coffee")
        small = self.page.script("""
          const all = document.querySelectorAll("main :is(button, a, input:not([type=checkbox]), select)");
          return [...all].filter((each) => each.offsetParent).map((each) =>
            [each.getBoundingClientRect(), each.innerText || each.id])
            .filter(([{ width, height }]) => width < 44 || height < 44).map(([, name]) => name);
        """)
        self.assertEqual(small, [])


class ReceiptTests(BrowserCase):
    def setUp(self):
        self.printer = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.printer.close)
        self.papers = []
        threading.Thread(target=self.print, daemon=True).start()
        self.settings = {
            "TAPCARD_RECEIPT_PRINTER": f"tcp://127.0.0.1:{self.printer.getsockname()[1]}",
            "TAPCARD_RECEIPTS": "request", "TAPCARD_RECEIPT_HEADER": "Cafe Amanda"}
        super().setUp()

    def print(self):
        while True:
            try:
                connection, _ = self.printer.accept()
            except OSError:
                return
            with connection:
                self.papers.append(b"".join(iter(lambda: connection.recv(4096), b"")))

    def test_the_last_payment_has_a_receipt_that_is_printed_once(self):
        self.till.make_demo("20.00")
        self.page.open()
        self.page.see("Amanda Gonzalez")
        self.page.take("$3.50")
        self.page.panel("done")
        self.page.keys("1")
        self.page.press("Receipt")
        self.page.see("Cafe Amanda", "Total", "$3.50", "New balance", "Not a certified fiscal")
        self.page.press("Print")
        self.page.see("Printed.")
        self.page.press("Print")
        self.page.see("Printed as a copy.")
        self.till.wait("both are printed", lambda: len(self.papers) == 2)
        self.assertNotIn(b"COPY", self.papers[0])
        self.assertIn(b"COPY", self.papers[1])
        self.page.press("Close")
        self.page.go("history")
        self.page.press("Receipt: \N{MINUS SIGN}$3.50")
        self.page.see("Total")

    def test_a_printer_that_is_off_is_told_and_stops_no_payment(self):
        # A thread that still accepts would keep a closed socket open.
        self.printer.shutdown(socket.SHUT_RDWR)
        self.till.make_demo("20.00")
        self.page.open()
        self.page.see("Amanda Gonzalez")
        self.page.take("$3.50")
        self.page.panel("done")
        self.page.keys("1")
        self.page.press("Receipt")
        self.page.press("Print")
        self.page.see("Nothing was printed.")
        self.page.press("Close")
        self.page.see("The receipt printer is not working.")
        self.assertEqual(self.till.done("pay"), ["-3.50"])
