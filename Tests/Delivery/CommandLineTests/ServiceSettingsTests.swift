import BlockingLane
import CommandLine
import Testing
import Verbs

@Suite("Settings of the services")
struct ServiceSettingsTests {
    private static let password = "TAPCARD_MASTERMIND_PASSWORD"

    @Test("The config command shows each service setting and its source")
    func shown() async throws {
        let bench = try ProgramBench()
        try bench.set(#"{"lottery-url":"https://lottery.example/draws/","ticket-price":2.50}"#)
        let environment = [
            "TAPCARD_ACTIVATION_URL": "http://127.0.0.1:8080/activation",
            "TAPCARD_LOTTERY_URL": "", "TAPCARD_MASTERMIND_URL": "",
            "TAPCARD_PRIZES": "3=10, 4=top",
        ]
        let shown = await bench.run("config", environment)
        #expect(shown.status == 0)
        #expect(
            shown.text.contains(
                """
                activation-url             variable         http://127.0.0.1:8080/activation
                lottery-url                file             https://lottery.example/draws/
                mastermind-url             default          http://emarest.cz.mass-php-1.mit.etn.cz/api/v2
                ca-file                    default          none
                ticket-price               file             2.50
                prizes                     variable         3=10, 4=top
                top-prize-unit             default          whole
                lottery-balls              default          6
                lottery-highest            default          59

                """), "\(shown.text)")
    }

    @Test(
        "An invalid service setting is refused before anything happens",
        arguments: [
            ("ACTIVATION_URL", "ftp://api.example", "it does not begin with https:// or http://"),
            ("LOTTERY_URL", "https://lottery.example/?draw=1", "it has a query or a fragment"),
            ("LOTTERY_URL", "http://127.0.0.1:0", "its port is not between 1 and 65535"),
            (
                "LOTTERY_URL", "http://lottery.example/\u{1B}[2J",
                "it contains an invalid character"
            ),
            ("MASTERMIND_URL", "http://amanda@game.example", "it contains a user name or password"),
            ("TICKET_PRICE", "0", "it must be more than 0"),
            ("TICKET_PRICE", "1000000", "no more than the largest balance"),
            ("PRIZES", "6=0", "is not a valid row of a prize table"),
            ("PRIZES", "6=1 6=2", "two rows for 6=2"),
            ("PRIZES", " ", "is empty"),
            ("TOP_PRIZE_UNIT", "cents", "it must be whole (dollars)"),
            ("LOTTERY_BALLS", "0", "it must be a number from 1 to 999"),
            ("LOTTERY_BALLS", "59", "59 balls out of 59"),
            ("LOTTERY_HIGHEST", "1000", "it must be a number from 1 to 999"),
        ])
    func refused(variable: String, value: String, words: String) async throws {
        let bench = try ProgramBench()
        let variables = ["TAPCARD_\(variable)": value, "TAPCARD_CURRENCY": "USD"]
        for line in ["draws", "activate", "ticket claim", "config"] {
            let ended = await bench.run(line, variables)
            #expect(ended.status == 2)
            #expect(ended.text.contains(words), "\(ended.text)")
            #expect(ended.text.contains("(TAPCARD_\(variable))"), "\(ended.text)")
            #expect(ended.text.contains("Nothing was done."))
            #expect(!ended.text.unicodeScalars.contains("\u{1B}"))
        }
        // Not even keys were made. What asks no service works all the same.
        let demo = await bench.run("demo", variables)
        #expect(demo.status == 0 && demo.text.contains("created the keys"))
    }

    @Test("The ticket price must fit the decimals of the currency")
    func currency() async throws {
        let bench = try ProgramBench()
        let price = ["TAPCARD_TICKET_PRICE": "2.505"]
        #expect(await bench.run("config", price).status == 2)
        let dinars = price.merging(["TAPCARD_CURRENCY": "KWD"]) { $1 }
        #expect(await bench.run("config", dinars).status == 0)
        let yen = ["TAPCARD_CURRENCY": "JPY"]
        #expect(await bench.run("config", yen).status == 0)
        let refused = await bench.run(
            "config", yen.merging(["TAPCARD_TICKET_PRICE": "2.50"]) { $1 })
        #expect(refused.status == 2)
        #expect(refused.text.contains("too many decimal places; JPY has none"), "\(refused.text)")
    }

    @Test("The Mastermind password comes only from a variable and is never printed")
    func password() async throws {
        let bench = try ProgramBench()
        for line in ["config", "config --json", "config --verbose", "draws", "--help"] {
            let ended = await bench.run(line, [ServiceSettingsTests.password: "swordfish"])
            #expect(!ended.text.contains("swordfish"), "\(line)")
        }
        #expect(Settings.variables.contains(ServiceSettingsTests.password))
        for url in ["http://amanda:swordfish@game.example", "amanda:swordfish@game.example"] {
            let ended = await bench.run("config", ["TAPCARD_MASTERMIND_URL": url])
            #expect(ended.status == 2 && !ended.text.contains("swordfish"), "\(ended.text)")
        }
        try bench.set(#"{"mastermind-password":"swordfish"}"#)
        let ended = await bench.run("config")
        #expect(ended.status == 2 && !ended.text.contains("swordfish"))
        #expect(
            ended.text.contains(
                "a password is not allowed in this file; set \(ServiceSettingsTests.password) "
                    + "instead"
            ))
    }

    @Test("A command creates its services once, and a verb without a service creates none")
    func once() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        _ = await bench.run("issue --balance 20 --quiet")
        for (count, line) in ["draws", "tickets", "ticket buy", "ticket check"].enumerated() {
            #expect(await bench.run(line).status == 0, "\(line)")
            #expect(bench.made.withLock { $0.count } == count + 1, "\(line)")
        }
        // A verb without a service does not make one.
        _ = await bench.run("read")
        #expect(bench.made.withLock { $0.count } == 4)
    }

    @Test("The certificate file is passed to the services' drivers")
    func authorities() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        #expect(await bench.run("draws").status == 0)
        let path = try bench.write(
            "One of ours\n-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n",
            to: "ca.pem")
        #expect(await bench.run("draws", ["TAPCARD_CA_FILE": path]).status == 0)
        try bench.set("{\"ca-file\":\"\(path)\"}")
        #expect(await bench.run("draws").status == 0)
        #expect(bench.made.withLock { $0.map(\.authorities) } == [nil, path, path])
        let shown = await bench.run("config")
        #expect(
            shown.text.contains(
                "ca-file                    file             ~/tapcard/simulated/ca.pem\n"))
    }

    @Test("An unusable certificate file is refused before any service is asked")
    func unusableAuthorities() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        let empty = try bench.write("", to: "ca.pem")
        func refusal(_ path: String) async -> String {
            let ended = await bench.run("draws", ["TAPCARD_CA_FILE": path])
            #expect(ended.status == 2)
            let begin = "! tapcard: The setting ca-file (TAPCARD_CA_FILE) cannot be used: "
            let end =
                ". Nothing was done. Specify a readable PEM file, or none at all.\n"
            #expect(ended.text.hasPrefix(begin) && ended.text.hasSuffix(end), "\(ended.text)")
            return String(ended.text.dropFirst(begin.count).dropLast(end.count))
        }
        #expect(await refusal(empty) == "~/tapcard/simulated/ca.pem is empty")
        let none = empty + ".none"
        #expect(await refusal(none) == "the file ~/tapcard/simulated/ca.pem.none does not exist")
        #expect(await refusal("/tmp") == "the file cannot be read: /tmp: Is a directory")
        #expect(
            await refusal("/dev/null")
                == "the file cannot be read: /dev/null is a device, not a file")
        let words = try bench.write("no certificate", to: "ca.pem")
        #expect(await refusal(words) == "~/tapcard/simulated/ca.pem contains no certificate")
        let half = try bench.write("-----BEGIN TRUSTED CERTIFICATE-----\nMII=\n", to: "ca.pem")
        #expect(await refusal(half) == "~/tapcard/simulated/ca.pem is truncated")
        #expect(bench.made.withLock { $0.isEmpty })
        // Who asks no service does not look.
        #expect(await bench.run("read", ["TAPCARD_CA_FILE": none]).status != 2)
    }

    @Test("A variable that is not UTF-8 is refused, the password only by a verb that needs it")
    func malformed() async throws {
        let bench = try ProgramBench()
        for name in ["TAPCARD_LEDGER", "HOME"] {
            let ended = await bench.run("config", malformed: [name])
            #expect(ended.status == 2)
            #expect(
                ended.text
                    == "! tapcard: The variable \(name) is not valid UTF-8. Nothing was done. Set "
                    + "it again, or unset it.\n")
        }
        let password: Set = [ServiceSettingsTests.password]
        #expect(await bench.run("config", malformed: password).status == 0)
        let ended = await bench.run("mastermind login amanda", malformed: password)
        #expect(ended.status == 2 && ended.text.contains("MASTERMIND_PASSWORD is not valid UTF-8"))
    }

    @Test("A password that is too long is refused and not sent")
    func longPassword() async throws {
        let bench = try ProgramBench()
        for (count, status) in [(1_024, 8), (1_025, 2), (2_000, 2)] as [(Int, Int32)] {
            let ended = await bench.run(
                "mastermind login amanda",
                [ServiceSettingsTests.password: String(repeating: "x", count: count)])
            #expect(ended.status == status, "\(ended.text)")
            #expect(!ended.text.contains("xxxx"))
            guard status == 2 else { continue }
            #expect(
                ended.text
                    == "! tapcard: The password is \(count) bytes long, but only 1024 bytes are "
                    + "allowed. Nothing was sent.\n")
        }
    }
}
