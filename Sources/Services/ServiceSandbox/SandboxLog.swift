import TapcardDomain
package import TextCodecs

/// A log of the requests received. It lets a test show that a request was made exactly once.
package struct SandboxLog: Sendable {
    /// The maximum number of activation codes that are kept; the oldest are dropped first.
    package static let maximumCodes = 10_000

    private struct Count: Sendable {
        var arrived = 0
        var answered: [Int: Int] = [:]
    }

    private var counts: [String: Count] = [:]
    private var codes: [ScratchCode] = []

    package init() {}

    package var requestCount: Int { counts.values.reduce(0) { $0 + $1.arrived } }

    /// Records a request before the service responds, because a test may wait for a request to
    /// arrive and then, for example, stop the client.
    package mutating func arrived(_ request: String, code: String? = nil) {
        counts[request, default: Count()].arrived += 1
        guard let code = code.flatMap({ ScratchCode($0) }) else { return }
        if codes.count >= SandboxLog.maximumCodes { codes.removeFirst() }
        codes.append(code)
    }

    package mutating func answered(_ request: String, _ status: Int) {
        counts[request, default: Count()].answered[status, default: 0] += 1
    }

    package var members: [JSONMember] {
        let rows = counts.sorted { $0.key < $1.key }.map { request, count -> JSONValue in
            let statuses = count.answered.sorted { $0.key < $1.key }.map { status, number in
                JSONMember(key: String(status), value: .number(String(number)))
            }
            return [
                "request": .string(request), "count": .number(String(count.arrived)),
                "answers": .object(statuses),
            ]
        }
        return [
            JSONMember(key: "requests", value: .array(rows)),
            JSONMember(
                key: "codes", value: .array(codes.map { .string($0.description) })),
        ]
    }
}
