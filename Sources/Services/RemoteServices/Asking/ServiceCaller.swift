import TapcardDomain

/// Sends requests to a service, each within an overall time limit. Retries a request if that is
/// safe and may help.
struct ServiceCaller: Sendable {
    let address: ServiceAddress
    let transport: any HTTPTransport
    let timeouts: ServiceTimeouts
    let dependencies: ServiceDependencies

    /// Returns the service's response. Throws an error for statuses 500 to 599; the caller
    /// interprets all other statuses.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, headers: [HTTPHeader] = []
    ) async throws(ServiceError) -> HTTPAnswer {
        let request = HTTPRequest(method, address.appending(path), headers: headers)
        // A POST may have taken effect even if its response was lost, so sending it again could
        // make it count twice.
        let attempts = method == .get ? max(1, timeouts.attempts) : 1
        let end = dependencies.uptime() + timeouts.whole
        var remaining = timeouts.whole
        var failure: ServiceError?
        for attempt in 1...attempts {
            guard remaining > .zero else { break }
            do throws(ServiceError) {
                return try await sendOnce(request, within: remaining)
            } catch {
                failure =
                    failure.map { first in
                        // An earlier error is more informative than a final timeout.
                        error.kind == .timedOut ? first : error
                    } ?? error
                guard error.isTemporary, attempt < attempts else { break }
                let pause = timeouts.pause(after: attempt, random: dependencies.random)
                // A pause that uses up the remaining time would only replace the real reason with a
                // timeout.
                guard pause < end - dependencies.uptime() else { break }
                try await sleep(pause)
                remaining = end - dependencies.uptime()
            }
        }
        throw failure ?? ServiceError(.timedOut, "no time was left for a request")
    }

    private func sendOnce(
        _ request: HTTPRequest, within remaining: Duration
    ) async throws(ServiceError) -> HTTPAnswer {
        let limits = HTTPLimits(connecting: timeouts.connecting, whole: remaining)
        let answer = try await translating(awaiting: await transport.send(request, by: limits)) {
            (error: ServiceError) in
            error.naming(address)
        }
        guard !(500...599).contains(answer.status) else {
            throw ServiceError(
                .broken, "it reports an internal error (status \(answer.status))"
            ).naming(address)
        }
        return answer
    }

    private func sleep(_ pause: Duration) async throws(ServiceError) {
        try await translating(awaiting: await dependencies.sleep(pause)) { (_: any Error) in
            ServiceError(.cancelled, "the request was stopped")
        }
    }
}

extension ServiceError {
    /// Adds the service's host name to the error.
    func naming(_ address: ServiceAddress) -> ServiceError {
        ServiceError(kind, "\(address.host): \(detail)")
    }
}

extension ServiceCaller {
    /// Parses a response. If the response is invalid, the error names the service.
    func meaning<Value>(
        of answer: HTTPAnswer, _ parse: ([UInt8]) throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        try translating(parse(answer.requireOK())) { (error: ServiceError) in
            error.naming(address)
        }
    }
}

extension HTTPAnswer {
    /// The body, if the status is 200, the only one that the services document.
    func requireOK() throws(ServiceError) -> [UInt8] {
        switch status {
        case 200: return body
        case 300...399:
            let target = head["location"].map { " to \(Shown.place($0))" } ?? ""
            throw ServiceError(
                .redirected, "it redirects\(target) (status \(status)); redirects are not followed")
        case 400...499:
            throw ServiceError(.refused, "it rejected the request (status \(status))")
        default:
            throw ServiceError(.wrongShape, "it responded with status \(status) instead of 200")
        }
    }
}
