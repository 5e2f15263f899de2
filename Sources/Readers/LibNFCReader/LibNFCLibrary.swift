import CLibNFC
import Glibc
package import TagReading

/// libnfc itself, loaded while the program runs, so that a program without it can say so.
package struct LibNFCLibrary {
    package static let defaultFile = "libnfc.so.6"
    /// What this code was written against; another release may well do other things.
    private static let supported = "1.8"

    let functions: tapcard_libnfc

    /// Loads the library; it stays loaded.
    package static func load(_ file: String = defaultFile) throws(ReaderError) -> LibNFCLibrary {
        do throws(LibNFCFault) {
            return try find(file)
        } catch {
            throw ReaderError(.noReader, error.why)
        }
    }

    /// What there is of libnfc.
    package static func presence(_ file: String = defaultFile) -> LibNFCPresence {
        do throws(LibNFCFault) {
            return .usable(version: try find(file).version)
        } catch {
            return switch error {
            case .missing: .missing
            case .unusable(let why): .unusable(why: why)
            }
        }
    }

    private static func find(_ file: String) throws(LibNFCFault) -> LibNFCLibrary {
        guard let handle = unsafe dlopen(file, RTLD_NOW) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? file
            throw .missing("libnfc is missing (Debian: libnfc6): \(reason)")
        }
        var functions = tapcard_libnfc()
        if let missing = unsafe tapcard_libnfc_bind(handle, &functions) {
            let name = unsafe String(cString: missing)
            throw .unusable("\(file) is another version of libnfc: it has no \(name)")
        }
        let library = LibNFCLibrary(functions: functions)
        try check(library.version)
        return library
    }

    /// Refuses a release that behaves otherwise than the one this was written for.
    package static func check(_ version: String) throws(LibNFCFault) {
        guard version == supported || version.hasPrefix(supported + ".") else {
            throw .unusable("libnfc is of version \(version), and \(supported) is needed")
        }
    }

    package var version: String {
        guard let text = functions.version() else { return "" }
        return unsafe String(cString: text)
    }
}

/// What there is of libnfc on this machine.
public enum LibNFCPresence: Sendable, Hashable {
    case missing
    case usable(version: String)
    /// Another release, or a library without its functions.
    case unusable(why: String)
}

/// Why libnfc cannot be used, in words.
package enum LibNFCFault: Error, Hashable {
    case missing(String)
    case unusable(String)

    package var why: String {
        switch self {
        case .missing(let why), .unusable(let why): why
        }
    }
}
