/// The handlers, by method and path; paths must match exactly.
///
/// The response for an unknown path is 404; for a known path with another method, 405 and the
/// allowed methods; for OPTIONS, 204 and the allowed methods.
public struct WebRoutes: Sendable {
    public typealias Handler = @Sendable (WebRequest) async -> WebResponse

    private var handlers: [String: [String: Handler]] = [:]

    public init() {}

    /// Adds a handler. It replaces any earlier one for the same method and path.
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
        // HEAD is allowed wherever GET is, because the server turns it into GET.
        let allowed = Set(methods.keys).union(methods["GET"] == nil ? [] : ["HEAD"])
            .union(["OPTIONS"]).sorted().joined(separator: ", ")
        // OPTIONS needs no handler.
        if request.method == "OPTIONS" { return WebResponse(204, headers: [("Allow", allowed)]) }
        return .text(
            "\(request.path) allows \(allowed), not \(request.method).\n", status: 405,
            headers: [("Allow", allowed)])
    }
}
