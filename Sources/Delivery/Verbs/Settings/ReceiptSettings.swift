import TapcardCore
import TapcardDomain

/// When the till's server prints receipts. In the mode `request`, it does so only when the page
/// asks.
package enum ReceiptMode: String, Sendable, CaseIterable {
    case never, request, always
}

/// The network address of a receipt printer, such as `tcp://192.168.1.50:9100`.
package struct PrinterAddress: Sendable, Hashable, CustomStringConvertible {
    private static let scheme = "tcp://"
    /// The port to use if the address has none.
    private static let standardPort: UInt16 = 9_100

    /// The host's name or IP address. An IPv6 address has no brackets here.
    package let host: String
    /// The TCP port.
    package let port: UInt16

    /// Parses an address as written in the settings; nil if it is not valid. If there is no port,
    /// 9100 is used.
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

    /// The address, always with its port.
    package var description: String {
        PrinterAddress.scheme + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}

extension Settings {
    /// The receipt printer's address; nil if none is set. Throws if the address is not valid.
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

    /// Whether a printer is set and `receipts` is not `never`.
    package var printsReceipts: Bool {
        text(of: .receiptPrinter) != nil && text(of: .receipts) != ReceiptMode.never.rawValue
    }

    /// When receipts are printed. Throws if the setting is not valid.
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
