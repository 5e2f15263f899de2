import TapcardCore
import TapcardDomain
package import TextCodecs

/// A typed value of a command, declared once for the command line, the page, the help, the
/// completions and the API's document.
package struct Parameter<Value: Sendable>: Sendable {
    package let row: CommandParameter
    /// Converts the given texts; nil texts for a value that was not given.
    let value: @Sendable ([String]?, CommandParameter) throws(TapcardError) -> Value

    /// This parameter with another line in the help.
    package func saying(_ help: String) -> Parameter {
        Parameter(row: row.saying(help), value: value)
    }

    private init(
        row: CommandParameter,
        value: @escaping @Sendable ([String]?, CommandParameter) throws(TapcardError) -> Value
    ) {
        (self.row, self.value) = (row, value)
    }

    private init<Word>(
        _ name: String, _ place: CommandParameter.Place, _ type: ValueType<Word>, _ help: String,
        isRequired: Bool, completes: CompletedValue?, page: PageParameter.Name,
        usual: JSONValue? = nil,
        value: @escaping @Sendable ([String]?, CommandParameter) throws(TapcardError) -> Value
    ) {
        var member: PageParameter?
        if let form = type.form, let jsonName = page.text(for: name) {
            member = PageParameter(
                name: jsonName, form: form, isRequired: isRequired, usual: usual)
        }
        row = CommandParameter(
            name, place, help: help, isRequired: isRequired, choices: type.choices,
            completes: completes ?? type.completes, page: member)
        self.value = value
    }
}

extension Parameter {
    /// `--name PLACEHOLDER`. `isRequired` applies to a page's call alone; on a command line the
    /// command reports missing options.
    package static func option<Wrapped>(
        _ name: String, _ placeholder: String, _ type: ValueType<Wrapped>, _ help: String,
        isRequired: Bool = false, page: PageParameter.Name = .same, usual: JSONValue? = nil
    ) -> Parameter where Value == Wrapped? {
        Parameter(
            name, .option(placeholder), type, help, isRequired: isRequired, completes: nil,
            page: page, usual: usual, value: type.optional)
    }

    /// An optional argument.
    package static func optionalArgument<Wrapped>(
        _ name: String, _ type: ValueType<Wrapped>, _ help: String,
        page: PageParameter.Name = .same
    ) -> Parameter where Value == Wrapped? {
        Parameter(
            name, .argument, type, help, isRequired: false, completes: nil, page: page,
            value: type.optional)
    }

    package static func argument(
        _ name: String, _ type: ValueType<Value>, _ help: String,
        completes: CompletedValue? = nil, page: PageParameter.Name = .same
    ) -> Parameter {
        Parameter(
            name, .argument, type, help, isRequired: true, completes: completes, page: page
        ) { texts, row throws(TapcardError) in try type.parse(texts?.first ?? "", row) }
    }

    /// `--name PLACEHOLDER`, several times: all values, in their order.
    package static func options<Element>(
        _ name: String, _ placeholder: String, _ type: ValueType<Element>, _ help: String
    ) -> Parameter where Value == [Element] {
        Parameter(
            name, .options(placeholder), type, help, isRequired: false, completes: nil,
            page: .never, value: type.all)
    }

    /// All remaining words.
    package static func arguments<Element>(
        _ name: String, _ type: ValueType<Element>, _ help: String, isRequired: Bool = true,
        page: PageParameter.Name = .same
    ) -> Parameter where Value == [Element] {
        Parameter(
            name, .arguments, type, help, isRequired: isRequired, completes: nil, page: page,
            value: type.all)
    }

    /// A value of a page's call that has no place on a command line, such as a password.
    package static func secret<Wrapped>(
        _ name: String, _ type: ValueType<Wrapped>
    ) -> Parameter where Value == Wrapped? {
        Parameter(
            name, .secret, type, "", isRequired: true, completes: nil, page: .same,
            value: type.optional)
    }
}

extension Parameter<Bool> {
    package static func flag(
        _ name: String, _ help: String, page: PageParameter.Name = .same
    ) -> Parameter {
        Parameter(
            name, .flag, ValueType<Bool>.truth, help, isRequired: false, completes: nil, page: page
        ) { texts, _ in texts != nil }
    }
}

extension ParsedCommand {
    package func isGiven<Value>(_ parameter: Parameter<Value>) -> Bool {
        texts[parameter.row.name] != nil
    }
}
