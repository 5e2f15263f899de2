import Ledger
import ReaderDiagnosis
import TapcardCore
import TextCodecs

/// The documents of the verbs that no page calls. The raw value is the name of the schema.
enum CommandAnswer: String, CaseIterable {
    case file = "WrittenFile"
    case restoration = "Restoration"
    case script = "Script"
    case station = "SetUpStation"
    case settings = "StationSettings"
    case setting = "StationSetting"
    case changedSetting = "ChangedSetting"
    case keys = "Keys"
    case key = "NewKey"
    case retired = "RetiredKey"
    case imported = "ImportedKeys"
    case readers = "Readers"
    case dump = "TagDump"
    case restoredTag = "RestoredTag"
    case blankTag = "BlankTag"
    case protection = "TagProtection"
    case emulation = "Emulation"
    case sandbox = "Sandbox"
    case served = "ServedPage"
    case cashiers = "Cashiers"
    case addedCashier = "AddedCashier"
    case removedCashier = "RemovedCashier"
    case schema = "PrintedSchema"

    /// The verbs that print it.
    var verbs: [String] {
        switch self {
        case .file: ["backup", "keys export"]
        case .restoration: ["restore-backup"]
        case .script: ["completions"]
        case .station: ["init"]
        case .settings: ["config"]
        case .setting: ["config get"]
        case .changedSetting: ["config set"]
        case .keys: ["keys list"]
        case .key: ["keys rotate"]
        case .retired: ["keys retire"]
        case .imported: ["keys import"]
        case .readers: ["readers"]
        case .dump: ["tag dump"]
        case .restoredTag: ["tag restore"]
        case .blankTag: ["tag format"]
        case .protection: ["tag protect", "tag unprotect"]
        case .emulation: ["emulate"]
        case .sandbox: ["sandbox"]
        case .served: ["serve"]
        case .cashiers: ["cashiers list"]
        case .addedCashier: ["cashiers add"]
        case .removedCashier: ["cashiers remove"]
        case .schema: ["schema"]
        }
    }

    var schema: JSONValue {
        switch self {
        case .file: CounterAnswer.done(["file": Schema.text])
        case .restoration:
            CounterAnswer.done([
                "file": Schema.text, "exhausted": Schema.list(of: ValueSchemas.card),
                "stopped": Schema.orNull(
                    Schema.list(
                        of: Schema.object([
                            "uid": ValueSchemas.card,
                            "status": Schema.words(LedgerCard.Status.allCases.map(\.rawValue)),
                        ]))),
                "kept": Schema.orNull(Schema.text),
            ])
        case .script: CounterAnswer.done(["script": Schema.text])
        case .station, .settings, .setting, .changedSetting: settingSchema
        case .keys, .key, .retired, .imported: keySchema
        case .readers:
            CounterAnswer.shown([
                "readers": Schema.list(
                    of: Schema.object([
                        "name": Schema.orNull(Schema.text), "make": Schema.text,
                        "driver": Schema.text, "state": Schema.text, "detail": Schema.text,
                        "usb": Schema.orNull(Schema.text), "node": Schema.orNull(Schema.text),
                    ]))
            ])
        case .dump, .restoredTag, .blankTag, .protection: tagSchema
        case .emulation, .sandbox, .served: playedSchema
        case .cashiers: CounterAnswer.done(["cashiers": Schema.list(of: Schema.text)])
        case .addedCashier:
            CounterAnswer.done(["cashier": Schema.text, "isNew": Schema.truth])
        case .removedCashier: CounterAnswer.done(["cashier": Schema.text])
        case .schema: CounterAnswer.done(["schema": ["type": "object"]])
        }
    }

    private var settingSchema: JSONValue {
        let setting: Schema.Members = [
            "name": Schema.text, "value": Schema.orNull(Schema.text), "from": Schema.text,
        ]
        return switch self {
        case .station:
            CounterAnswer.done([
                "ledger": Schema.text, "keys": Schema.text, "currency": Schema.text,
                "new": Schema.truth,
            ])
        case .settings:
            CounterAnswer.done([
                "settings": Schema.list(of: Schema.object(setting)), "simulated": Schema.truth,
            ])
        case .setting: CounterAnswer.done(setting)
        default:
            CounterAnswer.done([
                "name": Schema.text, "value": Schema.orNull(Schema.text), "file": Schema.text,
            ])
        }
    }

    private var keySchema: JSONValue {
        switch self {
        case .keys:
            CounterAnswer.done([
                "keys": Schema.list(
                    of: Schema.object([
                        "id": Schema.count,
                        "status": Schema.words(["active", "verify-only", "retired"]),
                        "created": Schema.text, "cards": Schema.count, "protected": Schema.count,
                    ]))
            ])
        case .key: CounterAnswer.done(["id": Schema.count])
        case .retired:
            CounterAnswer.done([
                "id": Schema.count, "cards": Schema.count, "protected": Schema.count,
            ])
        default:
            CounterAnswer.done([
                "keys": Schema.list(of: Schema.count), "currency": Schema.orNull(Schema.text),
            ])
        }
    }

    private var tagSchema: JSONValue {
        switch self {
        case .dump:
            CounterAnswer.done(
                ["uid": ValueSchemas.card, "chip": Schema.text],
                optional: ["dump": Schema.text, "file": Schema.text])
        case .restoredTag:
            CounterAnswer.done(["uid": ValueSchemas.card, "missing": Schema.count])
        case .blankTag: CounterAnswer.done(["uid": ValueSchemas.card])
        default:
            CounterAnswer.done([
                "uid": ValueSchemas.card, "protected": Schema.truth,
                "operation": Schema.orNull(ValueSchemas.operation),
                "display": Schema.words(DisplayState.allCases.map(\.rawValue)),
                "settled": CardSchemas.settled,
            ])
        }
    }

    private var playedSchema: JSONValue {
        switch self {
        case .emulation:
            [
                "anyOf": [
                    CounterAnswer.done([
                        "device": Schema.text, "link": Schema.orNull(Schema.text),
                        "connection": Schema.text, "control": Schema.orNull(Schema.text),
                    ]), CounterAnswer.done(["answer": ["type": "object"]]),
                ]
            ]
        case .sandbox:
            CounterAnswer.done([
                "activation": Schema.text, "lottery": Schema.text, "mastermind": Schema.text,
                "control": Schema.text, "password": Schema.text,
            ])
        default: CounterAnswer.done(["address": Schema.text])
        }
    }
}
