/// Which handler answers which method on which path; paths match exactly.
///
/// An unknown path is answered with 404, a known one with another method with 405 and what is
/// allowed, OPTIONS with 204 and what is allowed.
public struct WebRoutes: Sendable {
    public typealias Handler = @Sendable (WebRequest) async -> WebResponse

    private var handlers: [String: [String: Handler]] = [:]

    public init() {}

    /// A later handler for the same method and path takes the place of the earlier one.
    public mutating func add(
        _ method: String, _ path: String, _ handler: @escaping Handler
    ) {
        handlers[path, default: [:]][method] = handler
    }

    public func answer(_ request: WebRequest) async -> WebResponse {
        guard let methods = handlers[request.path] else {
            return .text("There is nothing at \(request.path).\n", status: 404)
        }
        if let handler = methods[request.method] { return await handler(request) }
        let allowed = Set(methods.keys).union(methods["GET"] == nil ? [] : ["HEAD"])
            .union(["OPTIONS"]).sorted().joined(separator: ", ")
        if request.method == "OPTIONS" { return WebResponse(204, headers: [("Allow", allowed)]) }
        return .text(
            "\(request.path) takes \(allowed), not \(request.method).\n", status: 405,
            headers: [("Allow", allowed)])
    }
}
