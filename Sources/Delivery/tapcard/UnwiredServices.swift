import ServicePorts
import TapcardDomain

/// What answers until the drivers of the services are built in: nobody.
struct UnwiredServices: ActivationService, LotteryService, MastermindService {
    private static let none = ServiceError(.unreachable, "no driver is built in")

    func activate(_ code: ScratchCode) throws(ServiceError) -> ActivationAnswer {
        throw UnwiredServices.none
    }
    func draws() throws(ServiceError) -> Fetched<DrawList> { throw UnwiredServices.none }
    func tickets() throws(ServiceError) -> Fetched<[Ticket]> { throw UnwiredServices.none }
    func logIn(
        user: String, password: String, timeToLive: Int?
    ) throws(ServiceError) -> MastermindToken { throw UnwiredServices.none }
    func start(
        slots: Int, with token: MastermindToken
    ) throws(ServiceError) -> MastermindGameID { throw UnwiredServices.none }
    func guess(
        _ colours: [Int], in game: MastermindGameID, with token: MastermindToken
    ) throws(ServiceError) -> MastermindAnswer { throw UnwiredServices.none }
    func ranking(with token: MastermindToken) throws(ServiceError) -> [MastermindRank] {
        throw UnwiredServices.none
    }
}
