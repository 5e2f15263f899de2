import CCurl
import LibraryLoading
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
        let functions: tapcard_libcurl
        do throws(LibraryFault) {
            functions = try unsafe LoadableLibrary(name: "libcurl", package: "libcurl4")
                .load(file, tapcard_libcurl()) { unsafe tapcard_libcurl_bind($0, $1) }
        } catch {
            throw ServiceError(.noClient, error.why)
        }
        guard functions.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
            throw ServiceError(.noClient, "libcurl could not be initialised")
        }
        return CurlLibrary(functions: functions)
    }
}
