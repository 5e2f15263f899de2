import TapcardDomain
import Verbs
import WebServer

/// The table of handlers. Paths match exactly, except that the last part may be a parameter. Every
/// refusal is a problem document.
struct TillRoutes: Sendable {
    typealias Handler =
        @Sendable (WebRequest, _ parameter: String?) async throws(Problem) -> WebResponse
    /// A handler that responds without waiting.
    typealias InstantHandler = @Sendable (WebRequest) -> WebResponse

    private enum Responder {
        case instant(InstantHandler)
        case task(Handler)
    }

    private struct Route {
        let permission: Permission
        let responder: Responder
    }

    private var exact: [String: [String: Route]] = [:]
    private var parametric: [String: [String: Route]] = [:]
    private var files: Set<String> = []

    /// The endpoints in the OpenAPI document: everything except the page's files.
    private(set) var endpoints: [Endpoint] = []

    mutating func add(_ endpoint: Endpoint, _ handler: @escaping Handler) {
        endpoints.append(endpoint)
        add(endpoint.method, endpoint.path, endpoint.permission, .task(handler))
    }

    mutating func add(_ endpoint: Endpoint, instant handler: @escaping InstantHandler) {
        endpoints.append(endpoint)
        add(endpoint.method, endpoint.path, endpoint.permission, .instant(handler))
    }

    /// Adds one of the page's files. Other sites may link to these files.
    mutating func add(file path: String, _ handler: @escaping InstantHandler) {
        add("GET", path, .everyone, .instant(handler))
        files.insert(path)
    }

    /// Whether the path is one of the page's files, which other sites may link to.
    func isFile(_ path: String) -> Bool { files.contains(path) }

    private mutating func add(
        _ method: String, _ path: String, _ permission: Permission, _ handler: Responder
    ) {
        let route = Route(permission: permission, responder: handler)
        if path.hasSuffix("}"), let slash = path.lastIndex(of: "/") {
            parametric[String(path[...slash]), default: [:]][method] = route
        } else {
            exact[path, default: [:]][method] = route
        }
    }

    /// Who may make this request. Paths without a route do not tell anyone which calls exist.
    func permission(for request: WebRequest) -> Permission {
        let methods = find(request.path)?.methods ?? [:]
        if let route = methods[request.method] { return route.permission }
        let isOpen =
            methods.values.contains { $0.permission == .everyone }
            || !request.path.hasPrefix(CallRoutes.base)
        return isOpen ? .everyone : .sellers
    }

    func knows(_ path: String) -> Bool { find(path) != nil }

    /// The reply; nil for a path without a route.
    func reply(to request: WebRequest) -> WebReply? {
        guard let (methods, parameter) = find(request.path) else { return nil }
        do throws(Problem) {
            switch methods[request.method]?.responder {
            case .instant(let handler): return .now(handler(request))
            case .task(let handler): return .later { await answer(request, parameter, handler) }
            case nil: break
            }
            // HEAD has no route, because the web server handles it as a GET and drops the body.
            let allowed = Set(methods.keys).union(methods["GET"] == nil ? [] : ["HEAD"])
                .union(["OPTIONS"]).sorted().joined(separator: ", ")
            if request.method == "OPTIONS" {
                return .now(WebResponse(204, headers: [("Allow", allowed)]))
            }
            var problem = Problem(
                .wrongMethod,
                "This path accepts \(allowed), not \(printable(request.method)).")
            problem.headers = [("Allow", allowed)]
            throw problem
        } catch {
            return .now(error.response)
        }
    }

    private func answer(
        _ request: WebRequest, _ parameter: String?, _ handler: Handler
    ) async -> WebResponse {
        do throws(Problem) {
            return try await handler(request, parameter)
        } catch {
            return error.response
        }
    }

    private func find(_ path: String) -> (methods: [String: Route], parameter: String?)? {
        if let methods = exact[path] { return (methods, nil) }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let parameter = path[path.index(after: slash)...]
        guard !parameter.isEmpty, let methods = parametric[String(path[...slash])] else {
            return nil
        }
        return (methods, String(parameter))
    }
}
