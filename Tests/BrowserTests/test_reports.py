"""Reports for owners, and cards that are found by name."""

from case import BrowserCase

CSV = """
const [done] = arguments;
fetch(document.querySelector("a[download]").href).then(async (answer) => done(
  [answer.headers.get("content-type"), answer.headers.get("content-disposition"),
   await answer.text()]));
"""


class ReportTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("12.50")
        self.till.run("products", "add", "Coffee", "--price", "3.50")
        coffee, = self.till.call("GET", "products")["products"]
        line = {key: coffee[key] for key in ("name", "price")}
        self.till.call("POST", "sell", {
            "lines": [{**line, "product": coffee["id"], "quantity": 2}]})
        self.page.open()

    def test_an_owner_chooses_the_report_and_the_period_and_downloads_it(self):
        self.page.go("history")
        self.page.press("Reports")
        self.page.see("Days", "$7.00", "Not a certified fiscal register")
        self.page.press("Products")
        self.page.see("Coffee", "sold")
        kind, name, text = self.page.driver.execute_async_script(CSV)
        self.assertEqual((kind, name), (
            "text/csv; charset=utf-8", 'attachment; filename="products.csv"'))
        self.assertIn("Coffee,sold,2,7.00\r\n", text)
        self.page.press("Yesterday")
        self.page.see("No operations in this period.")
        self.page.press("This week")
        self.page.see("Coffee")
        self.page.press("Outstanding balance")
        self.page.see("Spent with cards", "$5.50")

    def test_a_lost_card_is_found_by_name_and_replaced(self):
        self.till.take()
        self.till.put("NTAG213")
        self.page.go("cards")
        self.page.type("Part of the name or card number", "amand")
        self.page.press("Find")
        self.page.see("Amanda Gonzalez", f"card ends in {self.uid[-4:]}", "$5.50")
        self.page.press("Choose")
        self.page.press("Replace")
        self.page.see("The lost card will stop working for good")
