import TapcardCore
import TapcardDomain

extension Settings.Name {
    /// The default value; nil if it depends on the station.
    package var builtIn: String? {
        switch self {
        case .timeout: "30"
        case .paymentLifetime: "120"
        case .offlineSnapshotAge: "14400"
        case .activationURL: "https://api.o2.sk"
        case .lotteryURL: "https://agimenez95.github.io/LottoDrawsJSON"
        case .mastermindURL: "http://emarest.cz.mass-php-1.mit.etn.cz/api/v2"
        // The price has no decimal places, because some currencies have none.
        case .ticketPrice: "2"
        case .prizes: PrizeTable.standardText
        case .topPrizeUnit: TopPrizeUnit.whole.rawValue
        case .lotteryBalls: String(LotteryRules.standard.ballCount)
        case .lotteryHighest: String(LotteryRules.standard.highest)
        case .displayBalance: "true"
        case .receipts: ReceiptMode.never.rawValue
        case .json, .quiet, .verbose, .noColor, .offlinePayments, .express, .shiftRequired:
            "false"
        case .reader, .data, .ledger, .currency, .cashier, .caFile, .confirmPaymentAbove,
            .confirmTopUpAbove, .confirmBalanceAbove, .paymentLimit, .topUpLimit, .creditLimit,
            .balanceLimit, .cashierRefundLimit, .offlineCardLimit, .offlineStationLimit,
            .topUpPresets, .receiptHeader, .receiptPrinter,
            .customers, .customersName, .customersCertificate, .customersCertificateKey,
            .customersKeys, .cardAddress:
            nil
        }
    }
}

extension Settings {
    /// The value of a switch; nil if the text means neither true nor false.
    package static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }

    package func isOn(_ name: Name) -> Bool {
        effective(name).text.flatMap(Settings.boolean) ?? false
    }
}
