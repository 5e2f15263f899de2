import CardCryptography
import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Cashiers on the command line")
struct CashierCommandTests {
    private static let password = ["TAPCARD_CASHIER_PASSWORD": "sesame-open"]
    private static let nobody =
        "No cashiers; a till page started now on this machine needs no login\n"

    @Test("Cashiers are added, listed and removed, and only a hash of each password is stored")
    func life() async throws {
        let bench = try ProgramBench()
        #expect(await bench.run("cashiers list") == .init(status: 0, text: Self.nobody))
        #expect(
            await bench.run("cashiers add Zoë", Self.password)
                == .init(status: 0, text: "Zoë can now log in on the till page as an owner\n"))
        #expect(
            await bench.run("cashiers add Ann --json", Self.password).text
                == #"{"result":"done","cashier":"Ann","role":"cashier","isNew":true}"# + "\n")
        #expect(await bench.run("cashiers list").text == "Ann: cashier\nZoë: owner\n")
        #expect(
            await bench.run("cashiers list --json").text
                == #"{"result":"done","cashiers":["Ann","Zoë"],"roles":["cashier","owner"]}"#
                + "\n")
        #expect(await bench.run("cashiers role ann seller").text == "Ann is now a seller\n")
        #expect(
            await bench.run("cashiers role Ann owner --json").text
                == #"{"result":"done","cashier":"Ann","role":"owner"}"# + "\n")
        #expect(await bench.run("cashiers role Ben owner").status == 4)
        #expect(await bench.run("cashiers role Ann boss").status == 2)
        let file = DurableFile(bench.path(of: "cashiers.json"))
        #expect(try file.permissions() == 0o600)
        let kept = String(decoding: try #require(try file.read()), as: UTF8.self)
        #expect(kept.contains("Ann") && !kept.contains("sesame"))
        #expect(
            await bench.run("cashiers add Ann", ["TAPCARD_CASHIER_PASSWORD": "another-one"]).text
                == "Ann now has a new password and is an owner\n")
        #expect(
            await bench.run("cashiers add Ann --role seller", Self.password).text
                == "Ann now has a new password and is a seller\n")
        #expect(
            await bench.run("cashiers add Ann", ["TAPCARD_CASHIER_PASSWORD": "another-one"]).text
                == "Ann now has a new password and is a seller\n")
        #expect(
            try CashierFile(path: file.path).load().map { $0.password.accepts("another-one") }
                == [true, false])
        #expect(await bench.run("cashiers remove Ann").text == "Ann can no longer log in\n")
        #expect(
            await bench.run("cashiers remove Ann")
                == .init(
                    status: 4,
                    text: """
                        ! tapcard: There is no cashier named "Ann". Nothing was changed. To list \
                        the names, run: tapcard cashiers list

                        """))
        #expect(await bench.run("cashiers remove Zoë").status == 0)
        #expect(await bench.run("cashiers list").text == Self.nobody)
    }

    @Test("The only owner keeps the role while there are other cashiers")
    func lastOwner() async throws {
        let bench = try ProgramBench()
        let seller = await bench.run("cashiers add Zoë --role seller", Self.password)
        #expect(seller.status == 4 && seller.text.contains("The first cashier has to be an owner."))
        for name in ["Zoë", "Ann"] {
            _ = await bench.run("cashiers add \(name)", Self.password)
        }
        let refusal = """
            ! tapcard: Zoë is the only owner. Nothing was changed. Make someone else an owner \
            first: tapcard cashiers role NAME owner

            """
        for words in ["cashiers remove Zoë", "cashiers role zoë seller"] {
            #expect(await bench.run(words) == .init(status: 4, text: refusal))
        }
        #expect(await bench.run("cashiers add Zoë --role cashier", Self.password).status == 4)
        #expect(await bench.run("cashiers list").text == "Ann: cashier\nZoë: owner\n")
        #expect(await bench.run("cashiers role Ann owner").status == 0)
        #expect(await bench.run("cashiers remove Zoë").status == 0)
        #expect(await bench.run("cashiers remove Ann").status == 0)
    }

    @Test("A cashier from a file without roles is an owner, and an unknown role is refused")
    func filesWithoutRoles() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("cashiers add Ann", Self.password)
        let file = DurableFile(bench.path(of: "cashiers.json"))
        let kept = String(decoding: try #require(try file.read()), as: UTF8.self)
        try bench.write(
            kept.replacing(#""role": "owner","#, with: ""), to: "cashiers.json", mode: 0o600)
        #expect(await bench.run("cashiers list").text == "Ann: owner\n")
        try bench.write(
            kept.replacing(#""owner""#, with: #""boss""#), to: "cashiers.json", mode: 0o600)
        #expect(await bench.run("cashiers list").text.contains("is damaged"))
    }

    @Test("A password that is typed twice is accepted")
    func typed() async throws {
        let bench = try ProgramBench(typing: ["sesame-open", "sesame-open"])
        #expect(await bench.run("cashiers add Ann").status == 0)
        let kept = try CashierFile(path: bench.path(of: "cashiers.json")).load()
        #expect(kept.map { $0.password.accepts("sesame-open") } == [true])
    }

    @Test(
        "An unsuitable or unconfirmed password is refused, and no cashier is added",
        arguments: [
            (["sesame-open", "sesame-closed"], 2, "The two entries do not match."),
            (["sesame-open", nil], 1, "Canceled."), ([nil], 1, "Canceled."),
            (["sesame"], 2, "The password must have at least 10 characters."),
            (["sesame-op"], 2, "The password must have at least 10 characters."),
            ([""], 2, "The password must have at least 10 characters."),
            (["Password123!"], 2, "The password is too easy to guess: "),
            (["1234567890"], 2, "The password is too easy to guess: "),
            (["annannannann2024"], 2, "The password is too easy to guess: "),
            (["aaaaaaaaaaaaa"], 2, "The password is too easy to guess: "),
            (
                [String(repeating: "é", count: 513)], 2,
                "A password can be at most 1024 bytes long."
            ),
        ] as [([String?], Int32, String)])
    func refusals(lines: [String?], status: Int32, words: String) async throws {
        let bench = try ProgramBench(typing: lines)
        let ended = await bench.run("cashiers add Ann")
        #expect(ended.status == status)
        #expect(ended.text.hasPrefix("! tapcard: \(words)"), "\(ended.text)")
        #expect(ended.text.contains(". Nothing was changed."), "\(ended.text)")
        #expect(await bench.run("cashiers list").text == Self.nobody)
    }

    @Test("Without a terminal, a password comes only from a valid environment variable")
    func unasked() async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("cashiers add Ann")
        #expect(ended.status == 2)
        #expect(
            ended.text == """
                ! tapcard: No password was given, and there is no terminal to prompt for it. \
                Nothing was changed. Set TAPCARD_CASHIER_PASSWORD, or run the command in a terminal.

                """)
        let malformed: Set<String> = ["TAPCARD_CASHIER_PASSWORD"]
        #expect(await bench.run("cashiers list", malformed: malformed).status == 0)
        let unread = await bench.run("cashiers add Ann", malformed: malformed)
        #expect(
            unread.status == 2
                && unread.text.contains("TAPCARD_CASHIER_PASSWORD is not valid UTF-8"))
        try bench.set(#"{"cashier-password":"sesame-open"}"#)
        let inFile = await bench.run("cashiers list")
        #expect(inFile.status == 2)
        #expect(inFile.text.contains("is not allowed in this file; set TAPCARD_CASHIER_PASSWORD"))
    }

    @Test("Spellings of one name are one cashier, and a name that looks alike is refused")
    func oneName() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("cashiers add Ann", Self.password)
        for name in ["ann", "ANN", "An\u{200B}n", "A\u{A0}nn"] {
            #expect(
                await bench.run("cashiers add \(name)", Self.password).text
                    == "Ann now has a new password and is an owner\n")
        }
        for name in ["\u{410}nn", "\u{391}nn", "\u{FF21}nn", "a\u{578}n"] {
            let refused = await bench.run("cashiers add \(name)", Self.password)
            // The last one only looks a little like it.
            #expect(refused.status == (name.hasPrefix("a") ? 0 : 2), "\(name): \(refused.text)")
            if refused.status != 0 {
                #expect(refused.text.contains("is too easy to confuse with \"Ann\""))
            }
        }
        #expect(await bench.run("cashiers role a\u{578}n owner").status == 0)
        #expect(await bench.run("cashiers remove aNN").text == "Ann can no longer log in\n")
    }

    @Test("An invalid cashier name is refused", arguments: ["\u{7}", "\u{202E}nnA"])
    func names(_ name: String) async throws {
        let bench = try ProgramBench()
        for verb in ["add", "remove"] {
            let ended = await bench.run("cashiers \(verb) \(name)", Self.password)
            #expect(ended.status == 2)
            #expect(ended.text.contains("is not a valid cashier name: "), "\(ended.text)")
        }
    }

    @Test(
        "A cashier file that is damaged, newer, or readable by others is refused and kept",
        arguments: [
            ("", 0o600, "is damaged or from a newer version of tapcard"),
            (
                "{}", 0o600,
                "is damaged"
            ),
            (
                #"{"format":"tapcard cashiers 2","cashiers":[]}"#, 0o600,
                "from a newer version of tapcard"
            ),
            (#"{"format":"tapcard cashiers 1","cashiers":[{"name":"Ann"}]}"#, 0o600, "is damaged"),
            (
                #"{"format":"tapcard cashiers 1","cashiers":[]}"#, 0o644,
                "can be read by other users (mode 644)"
            ),
        ] as [(String, UInt32, String)])
    func files(text: String, mode: UInt32, words: String) async throws {
        let bench = try ProgramBench()
        let path = try bench.write(text, to: "cashiers.json", mode: mode)
        for line in ["cashiers list", "cashiers add Ann", "cashiers remove Ann"] {
            let ended = await bench.run(line, Self.password)
            #expect(ended.status == 1, "\(line)")
            #expect(ended.text.contains(words), "\(ended.text)")
            #expect(ended.text.contains("No cashier can log in until this is fixed."))
        }
        #expect(try DurableFile(path).read() == Array(text.utf8))
    }

    @Test("A cashier file or lock that cannot be used is named, and no cashier is added")
    func unusable() async throws {
        let bench = try ProgramBench()
        let path = bench.path(of: "cashiers.json")
        try DurableFile.makeFolder(bench.path(of: "cashiers.json.lock"))
        let locked = await bench.run("cashiers add Ann", Self.password)
        #expect(locked.status == 1)
        #expect(locked.text.contains("The cashier file could not be locked: "))
        #expect(await bench.run("cashiers list").text == Self.nobody)
        try DurableFile.makeFolder(bench.path(of: "cashiers.json"))
        let unread = await bench.run("cashiers list")
        #expect(unread.status == 1)
        #expect(unread.text.contains("The cashier file cannot be read: "), "\(unread)")
        // There is room for the name of the file and of its lock, and for no longer one.
        let long = CashierFile(
            path: path.replacing("cashiers.json", with: String(repeating: "x", count: 250)))
        let ann = try CashierName("Ann")
        let error = #expect(throws: TapcardError.self) {
            _ = try long.add(ann, PasswordHash("sesame-open", salt: []))
        }
        #expect(error?.what.hasPrefix("The cashier file could not be written: ") == true)
        #expect(try long.load().isEmpty)
        try DurableFile(long.path + ".lock").remove()
    }

    @Test("A full cashier file takes no new cashier but still takes a new password")
    func crowd() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("cashiers add Ann", Self.password)
        let file = DurableFile(bench.path(of: "cashiers.json"))
        let document = try JSONValue.parsing(try #require(try file.read()))
        let ann = try #require(document["cashiers"]?.array?.first?.text)
        let entries = ["Ann"] + (1..<CashierFile.maximumCashiers).map { "Ann \($0)" }
        let crowd = entries.map { ann.replacing("\"Ann\"", with: "\"\($0)\"") }
        try bench.write(
            "{\"format\":\"tapcard cashiers 1\",\"cashiers\":[\(crowd.joined(separator: ","))]}",
            to: "cashiers.json", mode: 0o600)
        let refused = await bench.run("cashiers add Zoë", Self.password)
        #expect(refused.status == 1)
        #expect(
            refused.text.contains("The limit of 200 cashiers has been reached."), "\(refused.text)")
        #expect(
            refused.text.contains(
                "Remove a cashier who no longer works here: tapcard cashiers remove NAME"))
        #expect(
            await bench.run("cashiers add Ann", Self.password).text
                == "Ann now has a new password and is an owner\n")
        #expect(try CashierFile(path: file.path).load().count == CashierFile.maximumCashiers)
    }
}
