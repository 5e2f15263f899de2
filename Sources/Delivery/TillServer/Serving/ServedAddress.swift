import TapcardCore
import Verbs

/// Checks a listener's addresses and names, as typed by the user.
enum ServedAddress {
    /// The maximum length of a DNS name.
    private static let maximumNameLength = 253

    /// The host names in a comma-separated list.
    static func names(_ text: String?) throws(TapcardError) -> [String] {
        guard let text else { return [] }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for name in names {
            let isName =
                !name.isEmpty && name.utf8.count <= maximumNameLength
                && name.utf8.allSatisfy {
                    switch $0 {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                        UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
            guard isName else {
                throw TapcardError(
                    .usage,
                    "\(name.debugDescription) is not a host name (such as till.example, without "
                        + "scheme or port).",
                    meaning: TillService.unserved)
            }
        }
        return names
    }

    /// Whether the text is an IPv4 address. Leading zeros are refused, because some programs read
    /// such numbers as octal.
    private static func isIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// Checks that the text is an IPv4 address.
    static func checked(_ text: String) throws(TapcardError) -> String {
        guard isIPv4(text) else {
            throw TapcardError(
                .usage,
                "\(text.debugDescription) is not an address to listen on (IPv4, such as "
                    + "192.168.1.5, or 0.0.0.0 for all).",
                meaning: TillService.unserved)
        }
        return text
    }

    /// Refuses to listen on all addresses if there is no host name that browsers can use.
    static func requireName(
        _ address: String, _ names: [String], _ option: String
    ) throws(TapcardError) {
        guard address == "0.0.0.0", names.isEmpty else { return }
        throw TapcardError(
            .usage, "With 0.0.0.0, the server needs a host name that browsers can use.",
            meaning: TillService.unserved,
            advice: "Specify one with: \(option) HOST")
    }
}
