import CMicroHTTPD
import OperatingSystem

/// The libmicrohttpd library, loaded when the first server starts and never unloaded.
final class MicroHTTPDLibrary {
    static let defaultFile = "libmicrohttpd.so.12"

    let functions: tapcard_microhttpd

    private init(_ functions: tapcard_microhttpd) {
        self.functions = functions
    }

    static func load(_ file: String) throws(WebServerError) -> MicroHTTPDLibrary {
        do throws(LibraryFault) {
            return unsafe MicroHTTPDLibrary(
                try LoadableLibrary(name: "libmicrohttpd", package: "libmicrohttpd12")
                    .load(file, tapcard_microhttpd()) {
                        unsafe tapcard_microhttpd_bind($0, $1)
                    })
        } catch {
            throw WebServerError(.libraryMissing, "\(error.reason).")
        }
    }

    /// Passes the table of functions to C code that calls the library.
    func withFunctions<Answer>(_ body: (UnsafePointer<tapcard_microhttpd>) -> Answer) -> Answer {
        unsafe withUnsafePointer(to: functions) { unsafe body($0) }
    }
}
