/// The value of an expression. Translates an error from its layer into one of the caller's layer.
package func translating<Success: ~Copyable, Lower: Error, Upper: Error>(
    _ value: @autoclosure () throws(Lower) -> Success, into upper: (Lower) -> Upper
) throws(Upper) -> Success {
    do throws(Lower) { return try value() } catch { throw upper(error) }
}

/// Like `translating(_:into:)`, for an asynchronous expression. It has a label, because otherwise
/// the compiler would choose this one where both are possible.
package func translating<Success, Lower: Error, Upper: Error>(
    awaiting value: @autoclosure () async throws(Lower) -> Success, into upper: (Lower) -> Upper
) async throws(Upper) -> Success {
    do throws(Lower) { return try await value() } catch { throw upper(error) }
}
