import Ledger
import ReaderDiagnosis
import StationFiles
import TapcardCore
import TapcardDomain
package import TextCodecs

/// A document that a command prints with `--json` and that the server returns to a page. The raw
/// value is the name of its schema.
package enum PrintedDocument: String, Sendable, CaseIterable {
    case card = "Card"
    case cardStatus = "CardStatus"
    case receipt = "Receipt"
    case printedReceipt = "PrintedReceipt"
    case copy = "PrintedCopy"
    case cardless = "CardlessReceipt"
    case anyReceipt = "AnyReceipt"
    case shift = "Shift"
    case shifts = "Shifts"
    case purchase = "Purchase"
    case products = "Products"
    case product = "ChangedProduct"
    case importedProducts = "ImportedProducts"
    case history = "History"
    case takings = "Takings"
    case report = "Report"
    case found = "Found"
    case audit = "Audit"
    case draws = "Draws"
    case draw = "Draw"
    case tickets = "Tickets"
    case check = "TicketCheck"
    case claim = "TicketClaim"
    case login = "MastermindLogin"
    case game = "MastermindGame"
    case guess = "MastermindGuess"
    case board = "MastermindBoard"
    case ranking = "MastermindRanking"
    case findings = "Findings"
    case tag = "Tag"
    case drawer = "SimulatedDrawer"
    case tags = "SimulatedTags"
    case fault = "SimulatedFault"
    case phone = "SeenByPhone"
    case nothing = "Nothing"
    case file = "WrittenFile"
    case restoration = "Restoration"
    case script = "Script"
    case station = "SetUpMachine"
    case settings = "ShownSettings"
    case setting = "ShownSetting"
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
    case tagContent = "TagContent"
    case writtenTag = "WrittenTag"
    case tapEvent = "TapEvent"
    case emulation = "Emulation"
    case sandbox = "Sandbox"
    case served = "ServedPage"
    case cashiers = "Cashiers"
    case addedCashier = "AddedCashier"
    case changedRole = "ChangedRole"
    case removedCashier = "RemovedCashier"
    case tokens = "Tokens"
    case addedToken = "AddedToken"
    case revokedToken = "RevokedToken"
    case tills = "Tills"
    case addedTill = "AddedTill"
    case changedTill = "ChangedTill"
    case connectedReader = "ConnectedReader"
    case database = "LedgerDatabase"
    case copied = "CopiedLedger"
    case registered = "AddedServer"
    case stations = "Servers"
    case revoked = "RemovedServer"
    case bookedJournal = "BookedJournal"
    case snapshot = "CardSnapshot"
    case writtenOff = "WrittenOffJournal"
    case schema = "PrintedSchema"

    package var schema: JSONValue {
        switch self {
        case .card: CardSchemas.card
        case .cardStatus:
            PrintedDocument.done([
                "uid": ValueSchemas.card,
                "status": LedgerCard.Status.schema,
            ])
        case .receipt:
            PrintedDocument.done(
                Receipt.fields.required, optional: Receipt.lost.optional + Receipt.fields.optional)
        case .printedReceipt: PrintedReceipt.fullSchema
        case .copy: PrintedDocument.done(["copy": Schema.boolean])
        case .cardless:
            PrintedDocument.done(
                ShownCardless.fields.required, optional: ShownCardless.fields.optional)
        case .anyReceipt:
            ["anyOf": [PrintedDocument.receipt.schema, PrintedDocument.cardless.schema]]
        case .shift:
            [
                "anyOf": [
                    PrintedDocument.done([
                        "shift": ShownShift?.schema, "report": ShownShiftReport?.schema,
                        "notice": Schema.text,
                    ]), PrintedDocument.done(["csv": Schema.text]),
                ]
            ]
        case .shifts: PrintedDocument.done(["shifts": [ShownShift].schema])
        case .purchase:
            PrintedDocument.done(Receipt.fields.required + ["ticket": Ticket.schema])
        case .products: PrintedDocument.done(["products": [ShownProduct].schema])
        case .product: PrintedDocument.done(["product": ShownProduct.schema])
        case .importedProducts:
            PrintedDocument.done(["added": Schema.count, "changed": Schema.count])
        case .history: MoneySchemas.history
        case .takings: MoneySchemas.takings
        case .report: ReportCommand.schema
        case .found:
            PrintedDocument.done([
                "cards": [FoundCard].schema, "operations": [FoundOperation].schema,
                "hasMore": Schema.boolean,
            ])
        case .audit: PrintedDocument.shown(AuditReport.fields)
        case .draws: LotterySchemas.draws
        case .draw: LotterySchemas.draw
        case .tickets: LotterySchemas.tickets
        case .check: LotterySchemas.check
        case .claim: LotterySchemas.claim
        case .login: MastermindSchemas.login
        case .game: MastermindSchemas.game
        case .guess: MastermindSchemas.guess
        case .board: MastermindSchemas.board
        case .ranking: MastermindSchemas.ranking
        case .findings: StationSchemas.findings
        case .tag: StationSchemas.tag
        case .drawer: StationSchemas.drawer
        case .tags: PrintedDocument.done(["tags": StationSchemas.tags])
        case .fault: PrintedDocument.done(["fault": Schema.nullable(Schema.text)])
        case .phone:
            PrintedDocument.done([
                "uid": ValueSchemas.card, "chip": Schema.text,
                "address": Schema.nullable(Schema.text), "text": Schema.nullable(Schema.text),
                "reads": UInt32?.schema,
            ])
        case .nothing: PrintedDocument.done([:])
        case .file: PrintedDocument.done(["file": Schema.text])
        case .restoration:
            PrintedDocument.done([
                "file": Schema.text, "exhausted": Schema.list(of: ValueSchemas.card),
                "stopped": [Restoration.Stopped]?.schema, "kept": Schema.nullable(Schema.text),
            ])
        case .script: PrintedDocument.done(["script": Schema.text])
        case .station, .settings, .setting, .changedSetting: settingSchema
        case .keys, .key, .retired, .imported: keySchema
        case .readers:
            PrintedDocument.shown(["readers": [ReaderRow].schema])
        case .dump, .restoredTag, .blankTag, .protection: tagSchema
        case .tagContent: PrintedDocument.done(ShownMessage.fields.required)
        case .writtenTag:
            [
                "anyOf": [
                    PrintedDocument.done(WrittenTag.fields.required),
                    PrintedDocument.done(
                        ["rows": Schema.count, "bad": Schema.count],
                        optional: [
                            "written": Schema.count, "left": Schema.count, "file": Schema.text,
                        ]),
                ]
            ]
        case .tapEvent: TapEvent.schema
        case .emulation, .sandbox, .served: serverSchema
        case .cashiers:
            PrintedDocument.done([
                "cashiers": Schema.list(of: Schema.text),
                "roles": Schema.list(of: CashierRole.schema),
            ])
        case .addedCashier:
            PrintedDocument.done([
                "cashier": Schema.text, "role": CashierRole.schema, "isNew": Schema.boolean,
            ])
        case .changedRole:
            PrintedDocument.done(["cashier": Schema.text, "role": CashierRole.schema])
        case .removedCashier: PrintedDocument.done(["cashier": Schema.text])
        case .tokens: PrintedDocument.done(["tokens": [APIToken].schema])
        case .addedToken: PrintedDocument.done(["token": Schema.text] + APIToken.fields.required)
        case .revokedToken: PrintedDocument.done(["name": Schema.text])
        case .tills: PrintedDocument.done(["tills": [EnrolledTill].schema])
        case .addedTill: PrintedDocument.done(["code": Schema.text] + EnrolledTill.fields.required)
        case .changedTill: PrintedDocument.done(EnrolledTill.fields.required)
        case .connectedReader:
            PrintedDocument.done(["server": Schema.text])
        case .database:
            PrintedDocument.shown(
                DatabaseStatus.fields.required + ["findings": [Finding].schema])
        case .copied:
            PrintedDocument.done([
                "file": Schema.text, "cards": Schema.count, "operations": Schema.count,
            ])
        case .registered:
            PrintedDocument.done([
                "server": Schema.text, "number": Schema.count, "ledger": Schema.text,
                "file": Schema.text,
            ])
        case .stations: PrintedDocument.done(["servers": [RegisteredStation].schema])
        case .revoked: PrintedDocument.done(["server": Schema.text])
        case .bookedJournal:
            PrintedDocument.done([
                "payments": Schema.count, "amount": ValueSchemas.amount,
                "shortfall": ValueSchemas.amount, "currency": Schema.text,
            ])
        case .snapshot: PrintedDocument.done(["cards": Schema.count])
        case .writtenOff: PrintedDocument.done(["journal": ValueSchemas.operation])
        case .schema: PrintedDocument.done(["schema": ["type": "object"]])
        }
    }

    private var settingSchema: JSONValue {
        let setting: Members = [
            "name": Schema.text, "value": Schema.nullable(Schema.text), "from": Schema.text,
        ]
        return switch self {
        case .station:
            PrintedDocument.done([
                "ledger": Schema.text, "keys": Schema.text, "currency": Schema.text,
                "new": Schema.boolean,
            ])
        case .settings:
            PrintedDocument.done([
                "settings": Schema.list(of: Schema.object(setting)), "simulated": Schema.boolean,
            ])
        case .setting: PrintedDocument.done(setting)
        default:
            PrintedDocument.done([
                "name": Schema.text, "value": Schema.nullable(Schema.text), "file": Schema.text,
            ])
        }
    }

    private var keySchema: JSONValue {
        switch self {
        case .keys:
            PrintedDocument.done(
                [
                    "keys": Schema.list(
                        of: Schema.object([
                            "id": Schema.count,
                            "status": Schema.oneOf(["active", "verify-only", "retired"]),
                            "created": Schema.text, "cards": Schema.count,
                            "protected": Schema.count,
                        ]))
                ],
                optional: [
                    "nextKey": UInt8?.schema, "servers": [RegisteredStation].schema,
                ])
        case .key:
            PrintedDocument.done(
                ["id": Schema.count],
                optional: ["sealing": UInt8?.schema, "lacking": [String].schema])
        case .retired:
            PrintedDocument.done([
                "id": Schema.count, "cards": Schema.count, "protected": Schema.count,
            ])
        default:
            PrintedDocument.done(
                [
                    "keys": Schema.list(of: Schema.count),
                    "currency": Schema.nullable(Schema.text),
                ])
        }
    }

    private var tagSchema: JSONValue {
        switch self {
        case .dump:
            PrintedDocument.done(
                ["uid": ValueSchemas.card, "chip": Schema.text],
                optional: ["dump": Schema.text, "file": Schema.text])
        case .restoredTag:
            PrintedDocument.done(["uid": ValueSchemas.card, "missing": Schema.count])
        case .blankTag: PrintedDocument.done(["uid": ValueSchemas.card])
        default:
            PrintedDocument.done(ProtectionChange.fields.required)
        }
    }

    private var serverSchema: JSONValue {
        switch self {
        case .emulation:
            [
                "anyOf": [
                    PrintedDocument.done([
                        "device": Schema.text, "link": Schema.nullable(Schema.text),
                        "connection": Schema.text, "control": Schema.nullable(Schema.text),
                    ]), PrintedDocument.done(["answer": ["type": "object"]]),
                ]
            ]
        case .sandbox:
            PrintedDocument.done([
                "activation": Schema.text, "lottery": Schema.text, "mastermind": Schema.text,
                "control": Schema.text, "password": Schema.text,
            ])
        default:
            PrintedDocument.done(
                ["address": Schema.nullable(Schema.text)],
                optional: [
                    "customers": Schema.text, "metrics": Schema.text,
                    "tills": Schema.list(
                        of: Schema.object([
                            "number": Schema.count, "reader": Schema.text,
                            "address": Schema.text,
                        ])),
                ])
        }
    }

    /// The schema for a document that reports only success.
    static func done(_ members: Members, optional: Members = [:]) -> JSONValue {
        document(["const": "done"], members, optional)
    }

    /// The schema for a failure.
    static let error = Schema.object(
        [
            "result": Schema.oneOf(TapcardError.Result.allCases.map(\.rawValue)),
            "error": Schema.oneOf(TapcardError.Kind.allCases.map(\.word)),
            "message": Schema.text, "uid": Schema.nullable(ValueSchemas.card),
            "operation": Schema.nullable(ValueSchemas.operation), "resolved": CardSchemas.resolved,
            "next": CardSchemas.next,
        ])

    static func shown<Subject>(
        _ fields: Fields<Subject>, optional: Members = [:]
    ) -> JSONValue {
        shown(fields.required, optional: fields.optional + optional)
    }

    /// The schema for a document that can also report a problem.
    static func shown(_ members: Members, optional: Members = [:]) -> JSONValue {
        document(
            ValueSchemas.result, members,
            optional + [
                "error": Schema.text, "message": Schema.text, "next": CardSchemas.next,
            ])
    }

    private static func document(
        _ result: JSONValue, _ members: Members, _ optional: Members
    ) -> JSONValue {
        Schema.object(["result": result] + members, optional: optional)
    }
}

extension ValueSchemas {
    static let resultWords = TapcardError.Result.allCases.map(\.rawValue)
}
