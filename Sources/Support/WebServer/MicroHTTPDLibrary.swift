import CMicroHTTPD
import Glibc

/// libmicrohttpd itself, loaded when the first server starts, and then for good.
final class MicroHTTPDLibrary {
    static let defaultFile = "libmicrohttpd.so.12"

    let functions: tapcard_microhttpd

    private init(_ functions: tapcard_microhttpd) {
        self.functions = functions
    }

    static func load(_ file: String) throws(WebServerError) -> MicroHTTPDLibrary {
        guard let handle = unsafe dlopen(file, RTLD_NOW) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? file
            throw WebServerError(
                .libraryMissing,
                "libmicrohttpd is missing: install it (Debian: libmicrohttpd12). \(reason)")
        }
        var functions = tapcard_microhttpd()
        if let missing = unsafe tapcard_microhttpd_bind(handle, &functions) {
            let name = unsafe String(cString: missing)
            throw WebServerError(
                .libraryMissing, "\(file) is another version of libmicrohttpd: it has no \(name).")
        }
        return MicroHTTPDLibrary(functions)
    }

    /// For the functions of the header that call those of the library.
    func withFunctions<Answer>(_ body: (UnsafePointer<tapcard_microhttpd>) -> Answer) -> Answer {
        unsafe withUnsafePointer(to: functions) { unsafe body($0) }
    }
}
