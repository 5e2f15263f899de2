import CMosquitto
import OperatingSystem
import TapcardDomain

/// The libmosquitto library, loaded when the first MQTT output starts and never unloaded.
// `@unchecked`, because the table of functions is filled once and never changed.
struct MosquittoLibrary: @unchecked Sendable {
    let functions: tapcard_mosquitto

    /// Loaded and initialized once per process.
    private static let standard = Result { () throws(ServiceError) in
        let library = LoadableLibrary(name: "libmosquitto", package: "libmosquitto1")
        let functions = try translating(
            unsafe library.load("libmosquitto.so.1", tapcard_mosquitto()) {
                unsafe tapcard_mosquitto_bind($0, $1)
            }
        ) { (error: LibraryFault) in ServiceError(.noClient, error.reason) }
        guard functions.lib_init() == MOSQ_ERR_SUCCESS.rawValue else {
            throw ServiceError(.noClient, "libmosquitto could not be initialized")
        }
        return MosquittoLibrary(functions: functions)
    }

    static func load() throws(ServiceError) -> MosquittoLibrary { try standard.get() }
}
