import Glibc
import Ledger
import SQLiteLedger
import TapcardDomain
import TestSupport

/// A folder of its own for one test.
struct TestFolder: Sendable {
    let path: String

    /// Runs the body in a new folder, which is removed afterwards.
    static func temporary<Result>(
        _ body: (TestFolder) async throws -> Result
    ) async throws -> Result {
        let folder = TestFolder()
        defer { folder.remove() }
        return try await body(folder)
    }

    private init() {
        path = TestPath.new("ledger")
        _ = unsafe mkdir(path, 0o700)
    }

    func remove(_ name: String) { unsafe unlink("\(path)/\(name)") }

    func rename(_ name: String, _ other: String) {
        _ = unsafe Glibc.rename("\(path)/\(name)", "\(path)/\(other)")
    }

    private func remove() {
        for name in TestFolder.names(in: path) { remove(name) }
        unsafe rmdir(path)
    }

    var ledger: String { path + "/ledger.sqlite" }

    /// Its files, without the one that is locked while the ledger is open.
    var names: [String] { TestFolder.names(in: path).filter { !$0.hasSuffix(".lock") } }

    private static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// How many descriptors of this process lead to the ledger.
    var timesOpen: Int {
        TestFolder.names(in: "/proc/self/fd").count { descriptor in
            var target = [CChar](repeating: 0, count: 4096)
            let length = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            let name = target.prefix(max(0, length)).map(UInt8.init(bitPattern:))
            return String(decoding: name, as: UTF8.self) == ledger
        }
    }

    func open(
        _ currency: Currency? = nil, busyLimit: Duration = .seconds(5)
    ) async throws(LedgerError) -> SQLiteLedger {
        try await SQLiteLedger.open(path: ledger, currency: currency, busyLimit: busyLimit)
    }
}

/// Whole files, to look at them and to damage them.
enum File {
    static func read(_ path: String) -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else { return [] }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: size(path))
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    static func write(_ bytes: [UInt8], to path: String) {
        guard let file = unsafe fopen(path, "w") else { return }
        unsafe fwrite(bytes, 1, bytes.count, file)
        unsafe fclose(file)
    }

    static func size(_ path: String) -> Int { Int(status(path).st_size) }
    static func mode(_ path: String) -> UInt32 { status(path).st_mode & 0o777 }
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func status(_ path: String) -> stat {
        var status = stat()
        unsafe stat(path, &status)
        return status
    }
}
