import CLibNFC
package import LibraryLoading
package import TagReading

/// libnfc itself, loaded while the program runs, so that a program without it can say so.
package struct LibNFCLibrary {
    package static let defaultFile = "libnfc.so.6"
    /// What this code was written against; another release may well do other things.
    private static let supported = "1.8"

    let functions: tapcard_libnfc

    /// Loads the library; it stays loaded.
    package static func load(_ file: String = defaultFile) throws(ReaderError) -> LibNFCLibrary {
        do throws(LibraryFault) {
            return try find(file)
        } catch {
            throw ReaderError(.noReader, error.why)
        }
    }

    /// What there is of libnfc.
    package static func presence(_ file: String = defaultFile) -> LibNFCPresence {
        do throws(LibraryFault) {
            return .usable(version: try find(file).version)
        } catch {
            return switch error {
            case .missing: .missing
            case .unusable(let why): .unusable(why: why)
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

    /// Refuses a release that behaves otherwise than the one this was written for.
    package static func check(_ version: String) throws(LibraryFault) {
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
