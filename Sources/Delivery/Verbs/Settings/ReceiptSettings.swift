import TapcardCore
import TapcardDomain

/// When the till's server prints receipts.
package enum ReceiptMode: String, Sendable, CaseIterable {
    case never, request, always
}

/// A receipt printer on the network.
package struct PrinterAddress: Sendable, Hashable, CustomStringConvertible {
    private static let scheme = "tcp://"
    /// The port that receipt printers listen on.
    private static let standardPort: UInt16 = 9_100

    package let host: String
    package let port: UInt16

    /// Parses an address such as tcp://192.168.1.50 or tcp://printer.example:9100; nil if it has
    /// another form.
    package init?(_ text: String) {
        guard text.lowercased().hasPrefix(PrinterAddress.scheme) else { return nil }
        let rest = text.dropFirst(PrinterAddress.scheme.count)
        // Hosts and ports follow the same rules as in http:// addresses.
        guard let place = try? ServiceAddress("http://" + rest).host,
            rest == place || rest == place + "/"
        else { return nil }
        let digits = place.last == "]" ? nil : place.split(separator: ":").dropFirst().last
        port = digits.flatMap { UInt16($0) } ?? PrinterAddress.standardPort
        let name = digits.map { place.dropLast($0.count + 1) } ?? place[...]
        host = String(name.first == "[" ? name.dropFirst().dropLast() : name)
    }

    package var description: String {
        PrinterAddress.scheme + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}

extension Settings {
    /// The receipt printer; nil if none is set.
    package var printer: PrinterAddress? {
        get throws(TapcardError) {
            guard let text = text(of: .receiptPrinter) else { return nil }
            guard let printer = PrinterAddress(text) else {
                throw TapcardError.usage(
                    "\(text.debugDescription) is not valid for receipt-printer.",
                    advice: "Use an address such as tcp://192.168.1.50:9100.")
            }
            return printer
        }
    }

    /// Whether the till's server prints receipts at all.
    package var printsReceipts: Bool {
        text(of: .receiptPrinter) != nil && text(of: .receipts) != ReceiptMode.never.rawValue
    }

    package var receiptMode: ReceiptMode {
        get throws(TapcardError) {
            let text = text(of: .receipts) ?? ""
            guard let mode = ReceiptMode(rawValue: text) else {
                throw TapcardError.usage(
                    "\(text.debugDescription) is not valid for receipts.",
                    advice: "Use never, request, or always.")
            }
            return mode
        }
    }
}
