package import TapcardDomain

/// The activation service over HTTP.
package struct RemoteActivation: ActivationService {
    private let caller: ServiceCaller

    package init(
        _ address: ServiceAddress, through transport: any HTTPTransport,
        timeouts: ServiceTimeouts = .activation, in dependencies: ServiceDependencies = .system
    ) {
        caller = ServiceCaller(
            address: address, transport: transport, timeouts: timeouts, dependencies: dependencies)
    }

    package func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        // A code is a lower-case UUID, so it needs no percent-encoding.
        let answer = try await caller.ask(.get, "/version?code=\(code)")
        return try caller.meaning(of: answer, ActivationParsing.answer)
    }
}
