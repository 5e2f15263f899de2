import CCurl
import Glibc
import ServicePorts

/// libcurl itself, loaded when the first request is made: loading costs 10 ms, which no tap has
/// to pay.
// Unchecked: a table of functions that is filled once and never changed.
struct CurlLibrary: @unchecked Sendable {
    static let defaultFile = "libcurl.so.4"

    let functions: tapcard_libcurl

    /// Loaded and initialised once in a process, on whichever lane is first; it stays loaded.
    private static let standard = Result { () throws(ServiceError) in try open(defaultFile) }

    static func load(_ file: String = defaultFile) throws(ServiceError) -> CurlLibrary {
        file == defaultFile ? try standard.get() : try open(file)
    }

    private static func open(_ file: String) throws(ServiceError) -> CurlLibrary {
        guard let handle = unsafe dlopen(file, RTLD_NOW) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? file
            throw ServiceError(.noClient, "libcurl is missing (Debian: libcurl4): \(reason)")
        }
        var functions = tapcard_libcurl()
        if let missing = unsafe tapcard_libcurl_bind(handle, &functions) {
            let name = unsafe String(cString: missing)
            throw ServiceError(
                .noClient, "\(file) is another version of libcurl: it has no \(name)")
        }
        guard functions.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
            throw ServiceError(.noClient, "libcurl could not be initialised")
        }
        return CurlLibrary(functions: functions)
    }
}
