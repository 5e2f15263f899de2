import BlockingLane
import TestSupport
import Testing
import TextCodecs

@Suite("Receipts at the till", .timeLimit(.minutes(5)))
struct ReceiptPrinterTests {
    private func with(
        _ printer: TestPrinter, _ mode: String = "always",
        _ body: (TillServerBench) async throws -> Void
    ) async throws {
        defer { printer.stop() }
        try await with(printer.address, mode, body)
    }

    private func with(
        _ address: String, _ mode: String = "always",
        _ body: (TillServerBench) async throws -> Void
    ) async throws {
        let environment = [
            "TAPCARD_RECEIPT_PRINTER": address, "TAPCARD_RECEIPTS": mode,
            "TAPCARD_RECEIPT_HEADER": "Cafe Amanda",
        ]
        try await TillServerBench.with(environment: environment) { bench in
            try await bench.issue()
            try await body(bench)
        }
    }

    /// Pays, and returns the operation's ID.
    private func pay(_ bench: TillServerBench, _ amount: String) async throws -> String {
        let paid = try await bench.call("pay", #"{"amount":"\#(amount)","again":true}"#)
        #expect(paid.status == 200, "\(paid.text)")
        return try #require(paid.json["operation"]?.string)
    }

    private func print(_ bench: TillServerBench, _ id: String) async throws -> Asked {
        try await bench.call("receipt", #"{"of":"\#(id)"}"#)
    }

    /// Waits until the health report names this state of the printer.
    private func printer(
        _ state: String, _ bench: TillServerBench
    ) async throws -> String? {
        while true {
            let printer = try await bench.get("health").json["printer"]
            if printer?["state"]?.string == state { return printer?["why"]?.string }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test("Each operation that moved money is printed once, and again only as a copy")
    func automatic() async throws {
        let printer = try TestPrinter()
        try await with(printer) { bench in
            await printer.printed(1)
            #expect(printer.texts[0].contains("New card"))
            let id = try await pay(bench, "3.50")
            await printer.printed(2)
            #expect(printer.texts[1].contains("Cafe Amanda") && printer.texts[1].contains("$3.50"))
            #expect(printer.texts[1].contains(id) && !printer.texts[1].contains("COPY"))
            // A repeated request, a refusal, and a change without money print nothing.
            let again = #"{"amount":"3.50","again":true,"operation":"\#(id)"}"#
            #expect(try await bench.call("pay", again).json["replayed"] == .bool(true))
            #expect(try await bench.call("pay", #"{"amount":"99","again":true}"#).status == 409)
            #expect(try await bench.call("scratch").status == 200)
            let copy = try await print(bench, id)
            #expect(copy.json["copy"] == .bool(true))
            await printer.printed(3)
            #expect(printer.texts[2].contains("COPY") && printer.receipts.count == 3)
            let health = try await bench.get("health").json["printer"]
            #expect(health?["state"]?.string == "ready" && health?["why"] == .null)
        }
    }

    @Test("On request, the first printout is the original and a lost answer prints nothing twice")
    func onRequest() async throws {
        let printer = try TestPrinter()
        try await with(printer, "request") { bench in
            let id = try await pay(bench, "1")
            #expect(printer.receipts.isEmpty)
            let request = #"{"of":"\#(id)","operation":"11111111-1111-4111-8111-111111111111"}"#
            #expect(try await bench.call("receipt", request).json["copy"] == .bool(false))
            #expect(try await bench.call("receipt", request).json["copy"] == .bool(false))
            await printer.printed(1)
            #expect(try await print(bench, id).json["copy"] == .bool(true))
            await printer.printed(2)
            #expect(printer.receipts.count == 2)
            #expect(try await bench.get("settings").json["printsReceipts"] == .bool(true))
        }
    }

    @Test("Only the original of a cash operation opens the drawer")
    func drawer() async throws {
        func opens(_ receipt: [UInt8]) -> Bool {
            receipt.indices.contains { receipt[$0...].starts(with: [0x1B, 0x70]) }
        }
        let printer = try TestPrinter()
        try await with(printer) { bench in
            _ = try await pay(bench, "1")
            let added = try await bench.call("add", #"{"amount":"5"}"#)
            await printer.printed(3)
            _ = try await print(bench, try #require(added.json["operation"]?.string))
            await printer.printed(4)
            #expect(printer.receipts.map(opens) == [true, false, true, false])
        }
    }

    @Test("A payment does not wait for a printer that hangs or fail with one that is off")
    func broken() async throws {
        let off = "tcp://127.0.0.1:\(try Loopback.portForProgram())"
        try await with(off) { bench in
            let id = try await pay(bench, "1")
            let why = try await printer("failed", bench)
            #expect(why?.contains(off) == true)
            let failed = try await print(bench, id)
            #expect(failed.word == "printer-failed" && failed.status == 502)
            #expect(failed.json["meaning"]?.string?.contains("Nothing was printed") == true)
            #expect(try await bench.get("health").json["status"]?.string == "ok")
        }
        let hanging = try TestPrinter(.hangs)
        try await with(hanging) { bench in
            for amount in 1...3 { _ = try await pay(bench, "\(amount)") }
            #expect(try await bench.get("health").json["status"]?.string == "ok")
        }
    }

    @Test("A printer that stops midway is reported, and the next printout is a copy")
    func midway() async throws {
        let printer = try TestPrinter(.stops(after: 40))
        try await with(printer) { bench in
            let id = try await pay(bench, "1")
            _ = try await self.printer("failed", bench)
            await printer.printed(2)
            let failed = try await print(bench, id)
            #expect(failed.word == "printer-failed", "\(failed.text)")
        }
    }

    @Test("The pages learn that the printer fails")
    func news() async throws {
        let environment = [
            "TAPCARD_RECEIPT_PRINTER": "tcp://127.0.0.1:\(try Loopback.portForProgram())",
            "TAPCARD_RECEIPTS": "always",
        ]
        try await TillServerBench.with(environment: environment) { bench in
            let page = try await EventListener(bench)
            let state = try await page.next("state")
            #expect(state["printer"]?["state"]?.string == "ready")
            try await bench.issue()
            let news = try await page.next("printer")
            #expect(news["state"]?.string == "failed" && news["why"] != .null)
            let late = try await EventListener(bench).next("state")
            #expect(late["printer"]?["state"]?.string == "failed")
        }
    }

    @Test("The receipt of any recorded operation can be shown, and an unknown one is refused")
    func shown() async throws {
        try await TillServerBench.withCard { bench in
            let id = try await pay(bench, "2.50")
            let receipt = try await bench.get("receipt/\(id)")
            #expect(receipt.status == 200 && receipt.json["kind"]?.string == "pay")
            let rows = receipt.json["rows"]?.array ?? []
            #expect(rows.contains { $0["fact"]?.string == "$2.50" })
            #expect(try await print(bench, id).status == 400)
            let unknown = "11111111-1111-4111-8111-111111111111"
            #expect(try await bench.get("receipt/\(unknown)").word == "bad-identifier")
            #expect(try await bench.get("receipt/x").status == 400)
        }
    }
}
