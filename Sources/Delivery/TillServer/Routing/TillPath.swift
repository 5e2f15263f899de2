import Ledger

/// The part of a path that refers to a till: "/tills/2/api/v1/pay" means "/api/v1/pay" at till 2.
enum TillPath {
    private static let start = "/tills/"

    /// The number of the till that the current request is for; nil for the server.
    @TaskLocal static var number: Int?

    /// The current request's till, if its reader is on another machine; nil otherwise.
    static var remoteNumber: Int? {
        number.flatMap { $0 >= EnrolledTill.firstNumber ? $0 : nil }
    }

    /// The path with the number as a parameter.
    static let template = start + "{till}"

    /// The path of a till's page, without the trailing "/".
    static func of(_ number: Int) -> String { start + String(number) }

    /// The number of the till, and the path within that till; nil if the path does not refer to a
    /// till.
    static func split(_ path: String) -> (number: Int, path: String)? {
        guard path.hasPrefix(start) else { return nil }
        let rest = path.dropFirst(start.count)
        let digits = rest.prefix { $0 != "/" }
        // Each till has only one path, so a sign or leading zeros are refused.
        guard let number = Int(digits), number >= 0, String(number) == digits else { return nil }
        let inside = rest.dropFirst(digits.count)
        return (number, inside.isEmpty ? "/" : String(inside))
    }
}
