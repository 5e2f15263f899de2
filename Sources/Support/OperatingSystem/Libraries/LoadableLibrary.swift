import Glibc

/// A C library that is loaded at run time and stays loaded. It is not linked, so the program can
/// start without it and reports it as missing only where it is needed.
public struct LoadableLibrary: Hashable, Sendable {
    /// The library's name as shown to users, such as "libnfc".
    public let name: String
    /// The Debian package that contains it.
    public let package: String

    public init(name: String, package: String) { (self.name, self.package) = (name, package) }

    /// Loads the library and fills a table with the functions that are used. `bind` returns the
    /// name of a missing function, or `nil`.
    public func load<Table>(
        _ file: String, _ table: Table,
        _ bind: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) throws(LibraryFault) -> Table {
        // With RTLD_NOW, a broken library fails here rather than in the middle of a tap.
        guard let library = unsafe dlopen(file, RTLD_NOW) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? file
            throw .missing("\(name) is missing (Debian: \(package)): \(reason)")
        }
        var table = table
        if let missing = unsafe bind(library, &table) {
            let function = unsafe String(cString: missing)
            throw .unusable(
                "\(file) is an incompatible version of \(name); the function \(function) is missing"
            )
        }
        return table
    }

    /// Loads a library that the program cannot run without. If loading fails, prints the reason and
    /// ends the process, as the system does for a linked library.
    public func loadOrExit<Table>(
        _ file: String, _ table: Table,
        _ bind: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) -> Table {
        do throws(LibraryFault) {
            return try unsafe load(file, table, bind)
        } catch {
            let line = Array("tapcard: \(error.reason)\n".utf8)
            // A failed write makes no difference, because the process is about to exit.
            _ = unsafe write(STDERR_FILENO, line, line.count)
            _exit(LoadableLibrary.loaderFailureStatus)
        }
    }

    // The exit status that the dynamic loader uses when it ends a program.
    private static let loaderFailureStatus: Int32 = 127
}

/// Why a library cannot be used.
public enum LibraryFault: Error, Hashable, Sendable {
    /// It cannot be loaded.
    case missing(String)
    /// A different release, or a library that lacks the functions.
    case unusable(String)

    public var reason: String {
        switch self {
        case .missing(let reason), .unusable(let reason): reason
        }
    }
}
