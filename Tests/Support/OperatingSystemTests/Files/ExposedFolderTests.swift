import Glibc
import OperatingSystem
import Testing

@Suite("Folders in which others could replace a file")
struct ExposedFolderTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        try DurableFile.makeFolder(folder.path("above/holder"))
    }

    private func setMode(of name: String, _ mode: mode_t) throws {
        try #require(unsafe chmod(folder.path(name), mode) == 0)
    }

    @Test(
        "A folder that others can write to is exposed, and one above it unless sticky or a group's",
        arguments: [
            (0o700, 0o700, nil, nil), (0o755, 0o755, nil, nil),
            (0o777, 0o700, "above/holder", "above/holder"),
            (0o1777, 0o700, "above/holder", "above/holder"),
            (0o770, 0o700, "above/holder", nil), (0o700, 0o777, "above", "above"),
            (0o700, 0o1777, nil, nil), (0o700, 0o775, nil, nil),
        ] as [(Int, Int, String?, String?)])
    func folders(holder: Int, above: Int, alone: String?, shared: String?) throws {
        try setMode(of: "above/holder", mode_t(holder))
        try setMode(of: "above", mode_t(above))
        let file = DurableFile(folder.path("above/holder/file"))
        for exists in [false, true] {
            if exists { try file.write([1]) }
            #expect(file.exposedFolder()?.path == alone.map { folder.path($0) })
            #expect(file.exposedFolder(allowsGroup: true)?.path == shared.map { folder.path($0) })
            #expect(file.exposedFolder()?.isForeign != true)
        }
        try setMode(of: "above", 0o700)
        try setMode(of: "above/holder", 0o700)
    }

    /// Only root can give files away.
    @Test(
        "A folder or file of another user is exposed, whatever its permissions",
        .enabled(if: geteuid() == 0))
    func foreign() throws {
        let another: uid_t = 12_345
        let file = DurableFile(folder.path("above/holder/file"))
        try file.write([1], mode: 0o600)
        #expect(try file.exposure(0o077) == nil && file.nameCount() == 1)
        try #require(unsafe chown(file.path, another, another) == 0)
        #expect(try file.exposure(0o077) == .foreign)
        // The owner of the file cannot be believed for his folder.
        try #require(unsafe chown(folder.path("above/holder"), another, another) == 0)
        #expect(file.exposedFolder()?.isForeign == true)
        #expect(file.exposedFolder()?.path == folder.path("above/holder"))
        // An owner whom this namespace does not know, such as that of a container's volume.
        for path in [file.path, folder.path("above/holder")] {
            try #require(unsafe chown(path, 65_534, 65_534) == 0)
        }
        #expect(try file.exposure(0o077) == nil && file.exposedFolder() == nil)
    }

    @Test("Permissions that let others in are reported, and a missing file has none")
    func permitted() throws {
        let file = DurableFile(folder.path("above/holder/file"))
        #expect(try file.exposure(0o077) == nil && file.nameCount() == 0)
        try file.write([1], mode: 0o640)
        #expect(try file.exposure(0o077) == .permitted(0o640))
        #expect(try file.exposure(0o022) == nil)
        try #require(unsafe link(file.path, folder.path("above/other")) == 0)
        #expect(try file.nameCount() == 2)
    }

    @Test("A link is followed, and the link's own folder counts as well")
    func links() throws {
        let link = folder.path("link")
        try #require(unsafe symlink(folder.path("above/holder"), link) == 0)
        let file = DurableFile(link + "/file")
        #expect(file.exposedFolder() == nil)
        try setMode(of: "above", 0o777)
        #expect(file.exposedFolder()?.path == folder.path("above"))
        try setMode(of: "above", 0o700)
        try DurableFile.makeFolder(folder.path("open"))
        let inTheOpen = folder.path("open/file")
        try #require(unsafe symlink(folder.path("above/holder/file"), inTheOpen) == 0)
        try DurableFile(folder.path("above/holder/file")).write([1])
        #expect(DurableFile(inTheOpen).exposedFolder() == nil)
        try setMode(of: "open", 0o777)
        #expect(DurableFile(inTheOpen).exposedFolder()?.permissions == 0o777)
    }
}
