import CCurl
import OperatingSystem
import TapcardDomain

/// The libcurl library. It is loaded when the first request is made. Loading it takes 10 ms, which
/// would be wasted on a tap that makes no requests.
// `@unchecked`, because the table of functions is filled once and never changed.
struct CurlLibrary: @unchecked Sendable {
    static let defaultFile = "libcurl.so.4"

    let functions: tapcard_libcurl

    /// The default library. It is loaded and initialized once per process, by the first lane that
    /// needs it, and stays loaded.
    private static let standard = Result { () throws(ServiceError) in try open(defaultFile) }

    static func load(_ file: String = defaultFile) throws(ServiceError) -> CurlLibrary {
        file == defaultFile ? try standard.get() : try open(file)
    }

    private static func open(_ file: String) throws(ServiceError) -> CurlLibrary {
        let library = LoadableLibrary(name: "libcurl", package: "libcurl4")
        let functions = try translating(
            unsafe library.load(file, tapcard_libcurl()) { unsafe tapcard_libcurl_bind($0, $1) }
        ) { (error: LibraryFault) in ServiceError(.noClient, error.reason) }
        guard functions.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
            throw ServiceError(.noClient, "libcurl could not be initialized")
        }
        return CurlLibrary(functions: functions)
    }
}
