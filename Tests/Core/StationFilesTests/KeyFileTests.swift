import CardCryptography
import Glibc
import OperatingSystem
import StationFiles
import TapcardCore
import Testing

@Suite("The key file")
struct KeyFileTests {
    private static let keys = KeyRing.fresh(created: "2026-01-01") { count in
        [UInt8](repeating: 0x5A, count: count)
    }

    @Test("A key file is created on first use, private to its owner, and read from then on")
    func firstUse() throws {
        try withFile { file in
            #expect(try file.load() == nil)
            let made = try file.loadOrMake(created: "2026-01-01", random: RandomBytes.make)
            #expect(made.areNew)
            #expect(try DurableFile(file.path).permissions() == 0o600)
            let again = try file.loadOrMake(created: "2027-01-01", random: RandomBytes.make)
            #expect(!again.areNew && again.keys == made.keys)
            #expect(try file.load() == made.keys)
        }
    }

    @Test(
        "A key file that other users can access is refused",
        arguments: [UInt32(0o644), 0o640, 0o604, 0o620, 0o601])
    func readableByOthers(_ mode: UInt32) throws {
        try withFile { file in
            try file.save(KeyFileTests.keys)
            try #require(unsafe chmod(file.path, mode) == 0)
            expectUnusable(file)
            try #require(unsafe chmod(file.path, 0o400) == 0)
            #expect(try file.load() == KeyFileTests.keys)
        }
    }

    @Test(
        "A damaged key file is refused and left as it is",
        arguments: ["", "{", "{}", "[]", "not keys at all", #"{"format":"tapcard keys 2"}"#])
    func damaged(_ text: String) throws {
        try withFile { file in
            let bytes = Array(text.utf8)
            try DurableFile(file.path).write(bytes, mode: 0o600)
            expectUnusable(file)
            #expect(try DurableFile(file.path).read() == bytes, "a backup may still fix it")
        }
    }

    @Test("A key file of a newer version is kept, and not called damaged")
    func newer() throws {
        try withFile { file in
            let text = #"{"format":"tapcard keys 2","keys":{}}"#
            try DurableFile(file.path).write(Array(text.utf8), mode: 0o600)
            do throws(TapcardError) {
                _ = try file.load()
                Issue.record("loaded")
            } catch {
                #expect(error.what.hasSuffix("is from a newer version of tapcard."))
                #expect(error.next == [.file(.useNewerVersion(.keys))])
            }
        }
    }

    @Test("A key file that cannot be written is reported without quoting a key")
    func unwritable() throws {
        try withFile { file in
            let inside = KeyFile(path: file.path + "/nowhere/keys.json")
            do throws(TapcardError) {
                try inside.save(KeyFileTests.keys)
                Issue.record("written where there is no folder")
            } catch {
                #expect(error.kind == .keysUnusable && !error.what.contains("5A5A"))
            }
        }
    }

    private func expectUnusable(
        _ file: KeyFile, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(TapcardError) {
            _ = try file.loadOrMake(created: "2026-01-01", random: RandomBytes.make)
            Issue.record("the file was accepted", sourceLocation: sourceLocation)
        } catch {
            #expect(error.kind == .keysUnusable, sourceLocation: sourceLocation)
            #expect(error.result.exitStatus == 1, sourceLocation: sourceLocation)
            #expect(!error.description.lowercased().contains("5a5a"), "a master was quoted")
        }
    }

    /// Runs the body with a key file in a temporary folder, which is removed afterwards.
    private func withFile(_ body: (KeyFile) throws -> Void) throws {
        let folder = "/tmp/tapcard-keys-\(UInt64.random(in: 0...UInt64.max))"
        try DurableFile.makeFolder(folder)
        defer {
            unsafe unlink(folder + "/keys.json")
            unsafe rmdir(folder)
        }
        try body(KeyFile(path: folder + "/keys.json"))
    }
}
