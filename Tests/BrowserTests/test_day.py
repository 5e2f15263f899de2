"""A whole day at three tills, and an account of it that is kept outside tapcard."""

import collections
import csv
import http.client
import io
import json
import random
import subprocess
import unittest
import urllib.parse
import uuid

from database import TestIssuer
from till import TAPCARD, Refused, Till

TILLS = 3
SALES = 600
MISTAKES = 40
CASHIERS = ["Ann", "Ben", "Cem", "Dan", "Eva"]
PASSWORD = "a long password"
CARDS = 5
PRODUCTS = {"Coffee": 350, "Tea": 300, "Cake": 425, "Soup": 690, "Roll": 120, "Beer": 450}
CUP = 200
FAULTS = ["1 torn old", "2 torn mix 7", "1 pulled-after", "1 acknowledge-lost"]


def cents(amount):
    return int(amount.replace(".", ""))


def decimal(units):
    return f"{'-' if units < 0 else ''}{abs(units) // 100}.{abs(units) % 100:02}"


class Account:
    """What happened, as the people at the tills would write it down."""

    def __init__(self):
        self.cards = collections.Counter()
        self.money = collections.Counter()
        self.sums = collections.Counter()
        self.products = collections.Counter()
        self.cashiers = collections.Counter()
        self.lines = 0

    def sell(self, cashier, lines, card, way, paid_otherwise):
        total = sum(line["units"] * line["quantity"] for line in lines)
        if card:
            self.cards[card] -= total - paid_otherwise
        if paid_otherwise:
            self.money[way] += paid_otherwise
        if total:
            kind = "sold" if total > 0 else "credited"
            self.sums[kind] += abs(total)
            self.sums[f"{kind}, number"] += 1
        self.cashiers[cashier] += total
        self.lines += len(lines)
        for line in lines:
            key = (line["name"], "returned" if line["units"] < 0 else "sold")
            self.products[key] += line["quantity"]


class DayTests(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(37)
        self.issuer = TestIssuer()
        self.addCleanup(self.issuer.close)
        self.till = Till(
            "--ledger", self.issuer.address, tills=TILLS, TAPCARD_SHIFT_REQUIRED="true",
            TAPCARD_OFFLINE_PAYMENTS="true", TAPCARD_OFFLINE_CARD_LIMIT="100",
            **self.issuer.settings)
        self.addCleanup(self.till.close)
        self.account = Account()
        for name in CASHIERS:
            self.till.run("cashiers", "add", name, "--role", "owner",
                          TAPCARD_CASHIER_PASSWORD=PASSWORD)
        self.log_in()
        self.on_reader = {}
        self.offline = 0

    def log_in(self):
        self.tokens = {
            name: self.till.send("POST", "session", {"cashier": name, "password": PASSWORD},
                                 {"Content-Type": "application/json"})["token"]
            for name in CASHIERS}

    def call(self, method, path, body=None, at=1, cashier="Ann"):
        headers = {"Content-Type": "application/json",
                   "Authorization": f"Bearer {self.tokens[cashier]}"}
        return self.till.send(method, path, body, headers, f"/tills/{at}")

    def put(self, card, at):
        if self.on_reader.get(at) != card:
            self.call("POST", "simulator/put", {"tags": [card]}, at)
            self.on_reader[at] = card

    def cards_of(self, at):
        return [card for card, till in self.places.items() if till == at]

    def begin(self):
        """The shift, the products, and five cards at each till."""
        self.call("POST", "shift/open", {"float": "100"})
        self.account.money["cash"] += 0
        self.ids = {"Cup": self.call("POST", "products/add", {"name": "Cup", "price": "2"})
                    ["product"]["id"]}
        for name, price in PRODUCTS.items():
            body = {"name": name, "price": decimal(price)}
            if name == "Beer":
                body["deposit"] = self.ids["Cup"]
            self.ids[name] = self.call("POST", "products/add", body)["product"]["id"]
        self.places = {}
        for at in range(1, TILLS + 1):
            for number in range(CARDS):
                self.call("POST", "simulator/put", {"tags": ["NTAG213"]}, at)
                made = self.call("POST", "issue", {
                    "name": f"Card {at}{number}", "balance": "300", "confirmed": True}, at)
                self.places[made["uid"]] = at
                self.account.cards[made["uid"]] += 300_00
                self.account.money["cash"] += 300_00
                self.account.sums["topUps"] += 1
            self.on_reader[at] = made["uid"]

    def line(self, name, units, quantity):
        return {"name": name, "units": units, "quantity": quantity}

    def cart(self):
        """Between one and four lines; every cup that is sold may come back."""
        lines = [self.line(name, PRODUCTS[name], self.chance.randint(1, 2))
                 for name in self.chance.sample(sorted(PRODUCTS), self.chance.randint(1, 3))]
        for line in list(lines):
            if line["name"] == "Beer":
                lines.append(self.line("Cup", CUP, line["quantity"]))
        if self.chance.random() < 0.3:
            lines.append(self.line("Cup", -CUP, 1))
        return lines

    def sent(self, lines):
        return [{"product": self.ids[line["name"]], "name": line["name"],
                 "price": decimal(line["units"]), "quantity": line["quantity"]} for line in lines]

    def ask(self, path, body, at, cashier, card=None):
        """Sends a request until its outcome is known. A card that was torn comes again."""
        for _ in range(20):
            try:
                return self.call("POST", path, body, at, cashier)
            except Refused as refused:
                if refused.document["error"] in ("operation-voided", "tag-lost"):
                    # It is certain that nothing was charged, so the cashier asks anew.
                    body = {**body, "operation": self.new_id()}
                elif refused.document["result"] not in ("unknown", "no-card"):
                    raise
                self.on_reader.pop(at, None)
                if card:
                    self.call("POST", "simulator/take", {}, at)
                    self.put(card, at)
        raise AssertionError(f"{path} has no outcome")

    def new_id(self):
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def lose(self, path, body, at, cashier):
        """Sends a request and goes away without its answer."""
        place = urllib.parse.urlsplit(self.till.url)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
        connection.request("POST", f"/tills/{at}/api/v1/{path}", json.dumps(body), {
            "Content-Type": "application/json", "Authorization": f"Bearer {self.tokens[cashier]}"})
        connection.close()

    def sale(self, number, trouble=None, offline=False):
        """One sale; returns what is needed to undo it."""
        at, cashier = number % TILLS + 1, self.chance.choice(CASHIERS)
        lines = self.cart()
        total = sum(line["units"] * line["quantity"] for line in lines)
        way = "card" if offline or trouble == "torn" else self.chance.choice(
            ["card"] * 6 + ["cash", "cash", "terminal", "rest"])
        card = self.chance.choice(self.cards_of(at)) if way in ("card", "rest") else None
        body = {"lines": self.sent(lines), "operation": self.new_id(), "confirmed": True}
        rest = 0
        if card:
            self.put(card, at)
            body |= {"card": card, "again": True}
            if way == "rest" and total > 100:
                rest, way = 100, "terminal"
                body["rest"] = {"tender": "terminal", "amount": "1.00"}
        else:
            rest = total
            body["tender"] = way
        if total <= 0 and not card:
            return None
        if self.account.cards[card] < total and card:
            self.top_up(card, at, cashier)
        if trouble == "torn":
            self.call("POST", "simulator/tear", {"fault": self.chance.choice(FAULTS)}, at, cashier)
        elif trouble == "lost":
            self.lose("sell", body, at, cashier)
        elif trouble == "killed":
            self.lose("sell", body, at, cashier)
            self.till.server.kill()
            self.till.start()
            self.log_in()
            self.on_reader.clear()
            if card:
                self.put(card, at)
        try:
            answer = self.ask("sell", body, at, cashier, card)
        except Refused as refused:
            # Some cards cannot pay offline, for example if the snapshot has an open operation.
            self.assertTrue(offline and refused.document["error"] == "ledger-offline", refused)
            return None
        self.assertEqual("offline" in answer, offline)
        self.offline += offline
        self.account.sell(cashier, lines, card, way, rest)
        return {"payment": answer["operation"], "total": total, "card": card, "way": way,
                "rest": rest, "at": at, "cashier": cashier}

    def top_up(self, card, at, cashier):
        if self.is_offline:
            raise AssertionError("a card is empty while the ledger is offline")
        tender = self.chance.choice(["cash", "terminal"])
        self.ask("add", {"amount": "200", "card": card, "again": True, "tender": tender,
                         "confirmed": True}, at, cashier, card)
        self.account.cards[card] += 200_00
        self.account.money[tender] += 200_00
        self.account.sums["topUps"] += 1

    def undo(self, sale):
        """A mistake: the sale is undone, on its card or without one."""
        if sale["card"]:
            self.put(sale["card"], sale["at"])
        self.ask("refund", {"payment": sale["payment"]}, sale["at"],
                 sale["cashier"], sale["card"])
        back = sale["total"] - sale["rest"]
        if sale["card"]:
            self.account.cards[sale["card"]] += back
            self.account.money[sale["way"]] -= sale["rest"]
        else:
            self.account.money[sale["way"]] -= sale["total"]
        self.account.sums["refunded"] += sale["total"]

    def play(self):
        troubles = {n: "torn" for n in range(7, SALES, 41)} | {
            n: "lost" for n in range(11, SALES, 43)} | {150: "killed", 420: "killed"}
        outage = range(300, 320)
        mistakes = 0
        done = number = 0
        self.is_offline = False
        while done < SALES:
            if done == outage.start and not self.is_offline:
                for card, balance in list(self.account.cards.items()):
                    if balance < 100_00:
                        self.put(card, self.places[card])
                        self.top_up(card, self.places[card], "Ann")
                self.issuer.stop()
                self.is_offline = True
            if done == outage.stop and self.is_offline:
                self.issuer.start()
                self.is_offline = False
                self.till.wait("the offline payments are booked", self.is_booked)
            sale = self.sale(number, troubles.get(done), self.is_offline)
            number += 1
            if sale is None:
                continue
            troubles.pop(done, None)
            done += 1
            if mistakes < MISTAKES and done % 14 == 0 and not self.is_offline and sale["total"] > 0:
                self.undo(sale)
                mistakes += 1
            if done in (200, 400):
                self.call("POST", "shift/cash", {
                    "direction": "out", "amount": "50", "reason": "Purchase"})
                self.account.money["cash"] -= 50_00
                self.account.sums["safe"] -= 50_00
        return mistakes

    def is_booked(self):
        try:
            booked = [each for each in self.call("GET", "history?last=200")["entries"]
                      if each["kind"] == "offline"]
            return len(booked) == self.offline
        except Refused:
            # The server has not noticed yet that the database is back.
            return False

    def report(self, name):
        return self.call("GET", f"reports/{name}")

    def export(self, *words):
        """The rows of an export."""
        text = subprocess.run(
            [TAPCARD, "--ledger", self.issuer.address, "export", *words], check=True, timeout=60,
            env=self.till.environment, stdout=subprocess.PIPE, text=True).stdout
        return list(csv.DictReader(io.StringIO(text)))

    def test_everything_adds_up(self):
        self.begin()
        mistakes = self.play()
        account = self.account
        cash = 100_00 + account.money["cash"]
        closed = self.call("POST", "shift/close", {"counted": decimal(cash)})
        self.assertEqual(closed["shift"]["difference"], "0.00", closed["shift"])
        self.assertEqual(self.call("GET", "audit")["violations"], [])
        print(f"a day: {SALES} sales with {account.lines} lines, {mistakes} undone", flush=True)
        for name in ("days", "hours", "shifts", "cashiers", "tills"):
            total = self.report(name)["sum"]
            with self.subTest(report=name):
                self.assertEqual(cents(total["sold"]), account.sums["sold"])
                self.assertEqual(cents(total["refunded"]), account.sums["refunded"])
                self.assertEqual(cents(total["credited"]), account.sums["credited"])
                self.assertEqual(total["sales"], account.sums["sold, number"])
                self.assertEqual(total["topUps"], account.sums["topUps"])
                self.assertEqual(cents(total["drawer"]), account.money["cash"])
        products = {(row["product"], row["kind"]): row["quantity"]
                    for row in self.report("products")["rows"] if row["product"]}
        self.assertEqual(products, {key: count for key, count in account.products.items()})
        sales = {each["cashier"]: cents(each["sales"]) for each in closed["report"]["cashiers"]}
        self.assertEqual(sales, dict(account.cashiers))
        outstanding = self.report("outstanding")
        self.assertEqual(cents(outstanding["sum"]["amount"]), sum(account.cards.values()))
        self.assertEqual(outstanding["equation"]["difference"], "0.00")
        self.assertEqual({card["uid"]: cents(card["balance"])
                          for card in self.call("GET", "find?text=card&last=100")["cards"]},
                         dict(account.cards))
        booked = collections.Counter()
        for row in self.export():
            booked[row["debit"].partition(":")[0]] -= cents(row["amount"])
            booked[row["credit"].partition(":")[0]] += cents(row["amount"])
        takings = account.sums["sold"] - account.sums["refunded"] - account.sums["credited"]
        self.assertEqual(booked["takings"], takings)
        self.assertEqual(booked["purse"], sum(account.cards.values()))
        for way in ("cash", "terminal"):
            self.assertEqual(-booked[way], account.money[way])
        self.assertEqual(booked["safe"], account.sums["safe"])
        lines = self.export("--lines")
        self.assertEqual(sum(cents(row["amount"]) for row in lines), takings)
        self.assertEqual(sum(row["product"] != "" for row in lines), account.lines)
