/// Returns the value of an expression. If the expression throws an error of a lower layer, throws
/// the corresponding error of the caller's layer.
package func translating<Success: ~Copyable, Lower: Error, Upper: Error>(
    _ value: @autoclosure () throws(Lower) -> Success, into upper: (Lower) -> Upper
) throws(Upper) -> Success {
    do throws(Lower) { return try value() } catch { throw upper(error) }
}

/// Like `translating(_:into:)`, but for an asynchronous expression. The argument has a label,
/// because otherwise the compiler would choose this function wherever both are possible.
package func translating<Success, Lower: Error, Upper: Error>(
    awaiting value: @autoclosure () async throws(Lower) -> Success, into upper: (Lower) -> Upper
) async throws(Upper) -> Success {
    do throws(Lower) { return try await value() } catch { throw upper(error) }
}
