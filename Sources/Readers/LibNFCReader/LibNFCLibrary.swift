import CLibNFC
package import OperatingSystem
package import Tags

/// The libnfc library. It is loaded at run time, so that a program can report that the library is
/// missing.
package struct LibNFCLibrary {
    package static let defaultFile = "libnfc.so.6"
    /// The release for which this code was written. Other releases may behave differently.
    private static let supported = "1.8"

    let functions: tapcard_libnfc

    /// Loads the library, which then stays loaded.
    package static func load(_ file: String = defaultFile) throws(ReaderError) -> LibNFCLibrary {
        do throws(LibraryFault) {
            return try find(file)
        } catch {
            throw ReaderError(.noReader, error.reason)
        }
    }

    /// The state of libnfc on this machine.
    package static func presence(_ file: String = defaultFile) -> LibNFCPresence {
        do throws(LibraryFault) {
            return .usable(version: try find(file).version)
        } catch {
            return switch error {
            case .missing: .missing
            case .unusable(let reason): .unusable(why: reason)
            }
        }
    }

    private static func find(_ file: String) throws(LibraryFault) -> LibNFCLibrary {
        let library = LibNFCLibrary(
            functions: try unsafe LoadableLibrary(name: "libnfc", package: "libnfc6")
                .load(file, tapcard_libnfc()) { unsafe tapcard_libnfc_bind($0, $1) })
        try check(library.version)
        return library
    }

    /// Rejects any release other than the supported one, because it may behave differently.
    package static func check(_ version: String) throws(LibraryFault) {
        guard version == supported || version.hasPrefix(supported + ".") else {
            throw .unusable(
                "libnfc version \(version) is installed, but version \(supported) is required")
        }
    }

    package var version: String {
        guard let text = functions.version() else { return "" }
        return unsafe String(cString: text)
    }
}

/// The state of libnfc on this machine.
public enum LibNFCPresence: Sendable, Hashable {
    /// The library is not installed.
    case missing
    /// The library can be used and has this version.
    case usable(version: String)
    /// The library is a different release, or lacks functions.
    case unusable(why: String)
}
