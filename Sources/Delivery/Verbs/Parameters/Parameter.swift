import TapcardCore
package import TextCodecs

/// A command's parameter with its type, declared once for the command line, the page, the help, the
/// completions, and the API document.
package struct Parameter<Value: Sendable>: Sendable {
    package let row: CommandParameter
    /// The value to use if none was given; nil if a value is required.
    let absent: Value?

    /// This parameter with a different line in the help.
    package func withHelp(_ help: String) -> Parameter {
        Parameter(row: row.withHelp(help), absent: absent)
    }

    private init(row: CommandParameter, absent: Value?) {
        (self.row, self.absent) = (row, absent)
    }

    private init<Element>(
        _ name: String, _ place: CommandParameter.Place, _ type: ValueType<Element>, _ help: String,
        isRequired: Bool = false, completes: CompletedValue? = nil,
        page: PageParameter.Name = .same, defaultValue: JSONValue? = nil, absent: Value?,
        value: @escaping @Sendable ([Element]) -> Value
    ) {
        var member: PageParameter?
        // Pages can send only values that have both a form and a name in JSON.
        if let form = type.form, let jsonName = page.text(for: name) {
            member = PageParameter(
                name: jsonName, form: form, isRequired: isRequired, defaultValue: defaultValue)
        }
        var row = CommandParameter(
            name, place, help: help, isRequired: isRequired, choices: type.choices,
            completes: completes ?? type.completes, page: member)
        row.read = { given, row throws(TapcardError) in
            let elements = try type.elements(of: given, row)
            return elements.isEmpty ? nil : value(elements)
        }
        self.init(row: row, absent: absent)
    }
}

extension Parameter {
    /// `--name PLACEHOLDER`. `isRequired` applies only to a page's call; on a command line, the
    /// command itself reports a missing option.
    package static func option<Wrapped>(
        _ name: String, _ placeholder: String, _ type: ValueType<Wrapped>, _ help: String,
        isRequired: Bool = false, page: PageParameter.Name = .same, defaultValue: JSONValue? = nil
    ) -> Parameter where Value == Wrapped? {
        Parameter(
            // A bare nil for `absent` would mean that a value is required.
            name, .option(placeholder), type, help, isRequired: isRequired, page: page,
            defaultValue: defaultValue, absent: .some(nil)
        ) { $0.first }
    }

    /// An optional argument.
    package static func optionalArgument<Wrapped>(
        _ name: String, _ type: ValueType<Wrapped>, _ help: String,
        page: PageParameter.Name = .same
    ) -> Parameter where Value == Wrapped? {
        Parameter(name, .argument, type, help, page: page, absent: .some(nil)) { $0.first }
    }

    package static func argument(
        _ name: String, _ type: ValueType<Value>, _ help: String,
        completes: CompletedValue? = nil, page: PageParameter.Name = .same
    ) -> Parameter {
        Parameter(
            name, .argument, type, help, isRequired: true, completes: completes, page: page,
            absent: nil
        ) { $0[0] }
    }

    /// `--name PLACEHOLDER`, any number of times. The value contains all values in order. An API
    /// request can contain only one.
    package static func options<Element>(
        _ name: String, _ placeholder: String, _ type: ValueType<Element>, _ help: String,
        page: PageParameter.Name = .never
    ) -> Parameter where Value == [Element] {
        Parameter(name, .options(placeholder), type, help, page: page, absent: []) { $0 }
    }

    /// All remaining words.
    package static func arguments<Element>(
        _ name: String, _ type: ValueType<Element>, _ help: String, isRequired: Bool = true,
        page: PageParameter.Name = .same
    ) -> Parameter where Value == [Element] {
        Parameter(
            name, .arguments, type, help, isRequired: isRequired, page: page, absent: []
        ) { $0 }
    }

    /// A value that pages can send but command lines do not accept, such as a password.
    package static func secret<Wrapped>(
        _ name: String, _ type: ValueType<Wrapped>
    ) -> Parameter where Value == Wrapped? {
        Parameter(name, .secret, type, "", isRequired: true, absent: .some(nil)) { $0.first }
    }
}

extension Parameter<Bool> {
    package static func flag(
        _ name: String, _ help: String, page: PageParameter.Name = .same
    ) -> Parameter {
        Parameter(name, .flag, .boolean, help, page: page, absent: false) { _ in true }
    }
}
