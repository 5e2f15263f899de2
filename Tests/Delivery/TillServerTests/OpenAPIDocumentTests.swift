import TestSupport
import Testing
import TextCodecs
import TillServer
import Verbs

@Suite("The OpenAPI document", .timeLimit(.minutes(5)))
struct OpenAPIDocumentTests {
    private static let base = "/api/v1/"

    private struct Described {
        let document: JSONValue

        init(_ bench: TillServerBench) async throws {
            document = try await bench.ask("GET", "/api/openapi.json").json
            #expect(document["openapi"]?.string == "3.1.0")
        }

        /// The faults of an answer.
        func faults(
            _ asked: Asked, _ method: String, _ path: String
        ) throws -> [String] {
            let checker = SchemaChecker(document: document)
            let responses = document["paths"]?[path]?[method.lowercased()]?["responses"]
            var response = responses?[String(asked.status)]
            if let reference = response?["$ref"] { response = checker.resolved(reference) }
            guard let response else { return ["\(asked.status) is not in the document"] }
            let type = asked.headers["content-type"]?.split(separator: ";").first.map(String.init)
            guard let type else {
                return response["content"] == nil && asked.text.isEmpty ? [] : ["no body"]
            }
            guard let schema = response["content"]?[type]?["schema"] else {
                return ["\(type) is not in the document"]
            }
            let value = type.hasSuffix("json") ? asked.json : .string(asked.text)
            return checker.faults(of: value, against: schema)
        }
    }

    @Test("The document has every call, and every path allows only the methods it documents")
    func paths() async throws {
        try await TillServerBench.with { bench in
            let paths = try await Described(bench).document["paths"]?.members ?? []
            for call in TillCall.all + TillCall.simulator {
                let path = paths.first { $0.key == Self.base + call.path }?.value
                #expect(path?[call.method.rawValue.lowercased()] != nil, "\(call.path)")
            }
            #expect(paths.count > 40)
            let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
            for path in paths {
                let methods = Set((path.value.members ?? []).map { $0.key.uppercased() })
                let asked = try await bench.ask("OPTIONS", path.key.replacing("{id}", with: id))
                let allowed = methods.union(["OPTIONS"]).union(
                    methods.contains("GET") ? ["HEAD"] : [])
                #expect(asked.status == 204)
                #expect(
                    asked.headers["allow"] == allowed.sorted().joined(separator: ", "),
                    "\(path.key)")
            }
        }
    }

    @Test("Every reference in the document resolves, and every schema is used")
    func references() async throws {
        try await TillServerBench.with { bench in
            let document = try await Described(bench).document
            let checker = SchemaChecker(document: document)
            let text = document.text
            let names = text.matches(of: /"\$ref":"([^"]+)"/).map { String($0.output.1) }
            #expect(names.count > 100)
            for name in Set(names) { #expect(checker.resolved(.string(name)) != nil, "\(name)") }
            for schema in document["components"]?["schemas"]?.members ?? [] {
                let isNamed = names.contains("#/components/schemas/\(schema.key)")
                // Events are described in words.
                #expect(isNamed || text.contains("(\(schema.key))"), "\(schema.key)")
            }
        }
    }

    @Test("Answers without a card, to invalid input, or to a wrong host match the document")
    func problems() async throws {
        try await TillServerBench.with(timeout: 0) { bench in
            let described = try await Described(bench)
            for call in TillCall.all + TillCall.simulator {
                let (method, path) = (call.method.rawValue, Self.base + call.path)
                let asked = path.replacing("{id}", with: "draw-1")
                let isPost = method == "POST"
                let answers = [
                    try await bench.ask(method, asked, isPost ? "{}" : nil),
                    try await bench.ask(
                        method, asked + (isPost ? "" : "?nonsense=1"),
                        isPost ? #"{"nonsense":1}"# : nil),
                    try await bench.ask(method, asked, headers: ["Host": "elsewhere"]),
                ]
                for answer in answers {
                    #expect(try described.faults(answer, method, path) == [], "\(call.path)")
                }
                #expect(answers[1].status == 400 && answers[2].status == 403)
            }
        }
    }

    @Test("Events and the server's own answers match the document")
    func own() async throws {
        try await TillServerBench.with { bench in
            let described = try await Described(bench)
            let checker = SchemaChecker(document: described.document)
            let page = try await EventListener(bench)
            try await bench.issue()
            let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
            _ = try await bench.call("pay", #"{"amount":"4.50","operation":"\#(id)"}"#)
            _ = try await bench.call("pay", #"{"amount":"99"}"#)
            try await bench.reader.take()
            let names = [
                "state": "State", "reader": "Reader", "card": "CardOnReader", "gone": "Gone",
                "operation": "Operation",
            ]
            var seen: Set<String> = []
            while seen.count < 4 || !seen.contains("gone") {
                let event = try #require(try await page.next())
                seen.insert(event.name)
                let schema = try #require(names[event.name])
                let reference = JSONValue.string("#/components/schemas/\(schema)")
                #expect(checker.faults(of: event.data, against: ["$ref": reference]) == [])
            }
            for (method, path) in [
                ("GET", "settings"), ("GET", "card"), ("GET", "health"), ("POST", "session"),
                ("DELETE", "operations/{id}"), ("GET", "operations/{id}"), ("DELETE", "session"),
            ] {
                let asked = try await bench.ask(
                    method, Self.base + path.replacing("{id}", with: id),
                    method == "POST" ? "{}" : nil)
                // What has happened cannot be stopped.
                let isLate = method == "DELETE" && path != "session"
                #expect(isLate ? asked.status == 409 : asked.status < 300, "\(path)")
                #expect(try described.faults(asked, method, Self.base + path) == [], "\(path)")
            }
            for path in ["/metrics", "/api/openapi.json"] {
                let asked = try await bench.ask("GET", path)
                #expect(try described.faults(asked, "GET", path) == [], "\(path)")
            }
        }
    }
}
