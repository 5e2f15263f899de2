import CMosquitto
import OperatingSystem

/// The libmosquitto library, loaded when the first MQTT output starts and never unloaded.
final class MosquittoLibrary {
    let functions: tapcard_mosquitto

    private init(_ functions: tapcard_mosquitto) { self.functions = functions }

    static func load(
        _ file: String = "libmosquitto.so.1"
    ) throws(LibraryFault) -> MosquittoLibrary {
        unsafe MosquittoLibrary(
            try LoadableLibrary(name: "libmosquitto", package: "libmosquitto1")
                .load(file, tapcard_mosquitto()) { unsafe tapcard_mosquitto_bind($0, $1) })
    }
}
