import Foundation
import ReaderDiagnosis
import SimulatedReader
import Tags
import TestSupport
import Testing
import Verbs

@Suite("Findings of the doctor")
struct DoctorTests {
    /// With DOCTOR=write the output is written to the page; the words above each block stay.
    @Test("The doctor's output is exactly what docs/DOCTOR.md shows")
    func page() async throws {
        let isWritten = ProcessInfo.processInfo.environment["DOCTOR"] == "write"
        let file = URL(filePath: Repository.path("docs/DOCTOR.md"))
        let old = try String(contentsOf: file, encoding: .utf8)
        let sections = old.components(separatedBy: "\n## ")
        var cases = DoctorCase.all
        var page = sections[0]
        for section in sections.dropFirst() {
            let place = cases.firstIndex { section.hasPrefix($0.heading + "\n") }
            // The heading of a case that is no more.
            guard let place else { continue }
            let printed = try await shown(cases.remove(at: place), in: section)
            #expect(isWritten || section == printed)
            page += "\n## \(printed)"
        }
        for example in cases {
            page += "\n## \(try await shown(example, in: "\(example.heading)\n\n"))"
        }
        let isSame = page == old
        #expect(isWritten || isSame, "docs/DOCTOR.md, or its headings, are not those of the cases")
        if isWritten { try page.write(to: file, atomically: true, encoding: .utf8) }
    }

    /// A section of the page with the current output.
    private func shown(_ example: DoctorCase, in section: String) async throws -> String {
        let bench = DoctorBench(
            try example.survey(), reader: example.reader, failing: example.failure,
            damage: example.damage, database: example.database,
            connections: example.connections)
        let (status, text) = await bench.run(example.words)
        #expect(status == example.status, "\(example.heading)")
        let above = section.components(separatedBy: "```text\n")[0]
        return "\(above)```text\n$ tapcard \(example.words.joined(separator: " "))\n\(text)```\n"
    }

    @Test(
        "The doctor's JSON document has the findings of its text, word for word",
        arguments: DoctorCase.all)
    func document(_ example: DoctorCase) async throws {
        let bench = DoctorBench(
            try example.survey(), reader: example.reader, failing: example.failure,
            damage: example.damage, database: example.database,
            connections: example.connections)
        let plain = await bench.run(example.words).text
        let (status, text) = await bench.run(example.words + ["--json"])
        #expect(status == example.status)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(document["result"] as? String == example.result)
        #expect(document["error"] as? String == example.error)
        let findings = try #require(document["findings"] as? [[String: Any]])
        // Word by word what people read, and no more than that.
        var words: [String] = []
        for finding in findings {
            for key in ["severity", "what", "remedy"] {
                words.append(finding[key] as? String ?? "")
            }
        }
        if status != 0 { words += ["tapcard:", document["message"] as? String ?? ""] }
        let said = words.joined(separator: " ").split(whereSeparator: \.isWhitespace)
        #expect(said == plain.split(whereSeparator: \.isWhitespace))
        for finding in findings {
            let commands = try #require(finding["commands"] as? [String])
            let remedy = finding["remedy"] as? String ?? ""
            #expect(commands.allSatisfy(remedy.split(separator: "\n").map(String.init).contains))
        }
    }

    @Test("Every finding except those tested elsewhere is shown by one of the cases")
    func everyFinding() async throws {
        var seen: Set<String> = []
        for example in DoctorCase.all {
            let bench = DoctorBench(
                try example.survey(), reader: example.reader, failing: example.failure,
                damage: example.damage, database: example.database,
                connections: example.connections)
            let text = await bench.run(example.words + ["--json"]).text
            for id in Finding.ID.allCases where text.contains("{\"id\":\"\(id.rawValue)\"") {
                seen.insert(id.rawValue)
            }
        }
        // The files of a station are tried with the built program: those of offline payments in
        // OfflineTests, the table and the page of the cards in CardOperatorTests, unusable keys in
        // KeyTests, and what a loss of the database has taken in StationsStoryTests.
        let others: Set = [
            "unbooked", "snapshot", "card-address", "keys-unusable",
            "lost-operation",
        ]
        #expect(Set(Finding.ID.allCases.map(\.rawValue)).subtracting(seen) == others)
    }

    @Test("The doctor's JSON document has exactly these keys and values")
    func whole() async throws {
        let survey = try DoctorCase.machine(["acr122u"])
        let (status, text) = await DoctorBench(survey).run(["doctor", "--json"])
        #expect(status == 0)
        #expect(text == Self.wholeDocument)
    }

    private static let wholeDocument = """
        {"result":"done","findings":[\
        {"id":"usb","severity":"ok","reader":null,"what":"1 reader is plugged in.",\
        "remedy":null,"commands":[]},\
        {"id":"ready","severity":"ok","reader":"acr122_usb:001:004",\
        "what":"ACS ACR122U (072f:2200, bus 1, device 4) is connected, free, and accessible to you.",\
        "remedy":null,"commands":[]},\
        {"id":"answers","severity":"ok","reader":"acr122_usb:001:004",\
        "what":"acr122_usb:001:004 responds as ACS / ACR122U PICC Interface, PN532 v1.6.",\
        "remedy":null,"commands":[]},\
        {"id":"tag","severity":"ok","reader":"acr122_usb:001:004",\
        "what":"An NTAG213 is on the reader: 04AC6B72BA6C80. The manufacturer's \
        signature is valid. The tag contains nothing and has 136 of 144 bytes free.",\
        "remedy":null,"commands":[]}],\
        "live":{"reader":"acr122_usb:001:004","answers":true,\
        "title":"ACS / ACR122U PICC Interface","firmware":"PN532 v1.6","tag":\
        {"uid":"04AC6B72BA6C80","chip":"NTAG213","originality":"valid",\
        "ndef":"empty","bytes":144,"freeBytes":136,"locked":false,\
        "protected":false}}}

        """

    @Test("The JSON document of a failure has null for live if nothing was opened")
    func failure() async throws {
        let survey = try DoctorCase.machine(["acr122u-kernel"])
        let (status, text) = await DoctorBench(survey).run(["doctor", "--json"])
        #expect(status == 5)
        #expect(
            text.hasSuffix(
                #"],"live":null,"error":"no-reader","message":"No usable NFC reader was found. "#
                    + #"Follow the steps shown above, or use the simulated reader: --reader sim","next":[]}"#
                    + "\n"))
    }

    @Test("A simulated reader is examined without looking for real ones")
    func simulated() async throws {
        let survey = try DoctorCase.machine(nil)
        let (status, text) = await DoctorBench(survey).run(["doctor", "--reader", "sim:card.txt"])
        #expect(status == 0)
        #expect(
            text == """
                ok       sim:card.txt responds as ACS / ACR122U PICC Interface, PN532 v1.6.
                ok       An NTAG213 is on the reader: 04AC6B72BA6C80. The manufacturer's signature \
                is valid. The tag contains nothing and has 136 of 144 bytes free.

                """)
    }

    @Test("A second reader is tried if the first cannot be opened")
    func second() async throws {
        let survey = try DoctorCase.machine(["acr122u", "scl3711"])
        let bench = DoctorBench(survey, failing: ReaderError(.noReader, "no"))
        let text = await bench.run(["doctor"]).text
        #expect(text.contains("acr122_usb:001:004 cannot be opened: no."))
        #expect(text.contains("pn53x_usb:001:005 cannot be opened: no."))
    }
}
