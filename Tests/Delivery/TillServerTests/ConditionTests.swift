import Foundation
import TestSupport
import Testing
import TillServer

@Suite("The conditions that only the server reports")
struct ConditionTests {
    @Test("docs/API.md lists every condition with its status")
    func documented() throws {
        let text = try String(contentsOfFile: Repository.path("docs/API.md"), encoding: .utf8)
        var documented: [String: Int] = [:]
        for line in text.matches(of: /(?m)^- (\d{3}): (`[a-z`, -]+`)$/) {
            for word in line.2.matches(of: /`([a-z-]+)`/) {
                documented[String(word.1)] = Int(line.1)
            }
        }
        let declared = ServerCondition.allCases.map { ($0.rawValue, $0.status) }
        #expect(documented == Dictionary(uniqueKeysWithValues: declared))
    }
}
