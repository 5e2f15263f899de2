import ServicePorts
import TapcardDomain

/// Activates whatever it is asked for.
struct WillingService: ActivationService {
    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer { .active }
}
