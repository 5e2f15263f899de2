import Glibc
import OperatingSystem
import Testing

@Suite("Durable files")
struct DurableFileTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    /// A path below a regular file, which nobody can use, not even the superuser.
    private func impossiblePath() throws -> String {
        try DurableFile(folder.path("plain")).write([1])
        return folder.path("plain/file")
    }

    @Test("A file behind a broken link is refused, not taken for missing")
    func danglingLink() throws {
        let file = DurableFile(folder.path("link"))
        try #require(unsafe symlink(folder.path("away"), file.path) == 0)
        let inside = DurableFile(folder.path("link/file"))
        for place in [file, inside] {
            let error = #expect(throws: FileError.self) { try place.read() }
            #expect(error?.kind == .danglingLink, "\(place.path)")
            #expect(throws: FileError.self) { try place.permissions() }
        }
        try DurableFile.makeFolder(folder.path("away"))
        #expect(try inside.read() == nil)
        try inside.write([1])
        #expect(try inside.resolved() == DurableFile(folder.path("away/file")))
        #expect(try DurableFile(folder.path("none")).resolved().path == folder.path("none"))
    }

    @Test(
        "A file of any size is read back as it was written",
        arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func roundTrip(count: Int) throws {
        let file = DurableFile(folder.path("file"))
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try file.write(bytes)
        #expect(try file.read() == bytes)
    }

    @Test("New content replaces the old, whether shorter or longer", arguments: [true, false])
    func replacing(durable: Bool) throws {
        let file = DurableFile(folder.path("file"))
        for content in [[1, 2, 3], [4], [5, 6, 7, 8], []] as [[UInt8]] {
            try file.write(content, durable: durable)
            #expect(try file.read() == content)
        }
        #expect(folder.names() == ["file"])
    }

    @Test("An open reader keeps the old content, because the file is replaced")
    func replacedNotChanged() throws {
        let file = DurableFile(folder.path("file"))
        try file.write([1, 2, 3])
        let reader = try FileDescriptor.open(file.path, O_RDONLY)
        try file.write([4, 5, 6, 7])
        #expect(try reader.read(limit: 10) == [1, 2, 3])
    }

    @Test(
        "A written file has exactly the requested permissions",
        arguments: [0o600, 0o666, 0o400, 0o640])
    func permissions(mode: UInt32) throws {
        let file = DurableFile(folder.path("file"))
        try file.write([1], mode: mode)
        #expect(try file.permissions() == mode)
        try file.write([2])
        #expect(try file.permissions() == 0o644)
        try file.write([3], mode: mode)
        #expect(try file.permissions() == mode)
    }

    @Test("A written file belongs to the user who wrote it")
    func owner() throws {
        let file = DurableFile(folder.path("file"))
        try file.write([1])
        #expect(try file.owner() == getuid())
    }

    @Test("A missing file has no bytes, no permissions and no owner")
    func missing() throws {
        for name in ["none", "none/none"] {
            let file = DurableFile(folder.path(name))
            #expect(try file.read() == nil)
            #expect(try file.permissions() == nil)
            #expect(try file.owner() == nil)
        }
    }

    @Test("A file may be removed twice")
    func removing() throws {
        let file = DurableFile(folder.path("file"))
        try file.write([1])
        try file.remove()
        #expect(try file.read() == nil)
        try file.remove()
    }

    @Test("A file or stream beyond the size limit is refused")
    func limit() throws {
        let file = DurableFile(folder.path("file"))
        try file.write([1, 2, 3])
        #expect(try file.read(limit: 3) == [1, 2, 3])
        expect(.tooLarge) { () throws(FileError) in _ = try file.read(limit: 2) }
        expect(.tooLarge) { () throws(FileError) in
            _ = try DurableFile("/dev/zero").readStream(limit: 100_000)
        }
    }

    @Test("A folder is refused as a file")
    func isFolder() throws {
        let file = DurableFile(folder.path)
        expect(.isFolder) { () throws(FileError) in _ = try file.read() }
        expect(.isFolder) { () throws(FileError) in try file.write([1]) }
        #expect(folder.names() == [])
        // The attempt has left nothing next to the folder either.
        #expect(
            try SystemProgram.run("sh", "-c", "ls -d \"$0\".*.new 2> /dev/null", folder.path) != 0)
    }

    @Test("Nothing is written if the folder is missing")
    func missingFolder() {
        expect(.notFound) { () throws(FileError) in
            try DurableFile(folder.path("none/file")).write([1])
        }
        expect(.notFound) { () throws(FileError) in try DurableFile("").write([1]) }
    }

    @Test("A path below a file is refused by every call, with the path and the system's reason")
    func belowFile() throws {
        let file = DurableFile(try impossiblePath())
        expect(.other(ENOTDIR)) { () throws(FileError) in _ = try file.read() }
        expect(.other(ENOTDIR)) { () throws(FileError) in try file.write([1]) }
        expect(.other(ENOTDIR)) { () throws(FileError) in _ = try file.permissions() }
        expect(.other(ENOTDIR)) { () throws(FileError) in _ = try file.owner() }
        expect(.other(ENOTDIR)) { () throws(FileError) in try file.remove() }
        let error = #expect(throws: FileError.self) { try file.read() }
        #expect(error?.detail == "\(file.path): Not a directory")
    }

    @Test("A write that the system forbids is reported as not permitted")
    func notPermitted() {
        expect(.notPermitted) { () throws(FileError) in try DurableFile("/sys/file").write([1]) }
        expect(.notPermitted) { () throws(FileError) in try DurableFile.makeFolder("/sys/folder") }
    }

    @Test("A full disk is reported as such")
    func fullDisk() throws {
        let device = try FileDescriptor.open("/dev/full", O_WRONLY)
        let error = #expect(throws: FileError.self) { try device.write([1, 2, 3]) }
        #expect(error?.kind == .noSpace)
        #expect(error?.detail == "/dev/full: No space left on device")
    }

    @Test("A failed write keeps the old content and leaves nothing behind")
    func failedWrite() throws {
        // A folder that is not empty cannot be replaced by a file: the last step fails.
        try DurableFile.makeFolder(folder.path("target"))
        try DurableFile(folder.path("target/kept")).write([1])
        expect(.isFolder) { () throws(FileError) in
            try DurableFile(folder.path("target")).write([2])
        }
        #expect(folder.names() == ["target"])
        #expect(try DurableFile(folder.path("target/kept")).read() == [1])
    }

    @Test("Remains of a crash do not disturb a later write")
    func leftovers() throws {
        let file = DurableFile(folder.path("file"))
        try DurableFile(folder.path("file.1a2b3c.new")).write([9, 9, 9])
        try file.write([1])
        #expect(try file.read() == [1])
        #expect(folder.names() == ["file", "file.1a2b3c.new"])
    }
}

/// Expects the call to be refused for this reason and no other.
func expect(
    _ kind: FileError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws(FileError) -> Void
) {
    do throws(FileError) {
        try call()
        Issue.record("not refused", sourceLocation: sourceLocation)
    } catch {
        #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
    }
}
