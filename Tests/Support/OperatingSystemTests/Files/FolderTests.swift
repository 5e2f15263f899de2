import Glibc
import OperatingSystem
import Testing

@Suite("Making folders")
struct FolderTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test(
        "A folder is made with its parents, and making it again succeeds",
        arguments: ["a", "a/b/c", "a//b/"])
    func parents(name: String) throws {
        let path = folder.path(name)
        try DurableFile.makeFolder(path)
        try DurableFile.makeFolder(path)
        try DurableFile(path + "/file").write([1])
        #expect(try DurableFile(path).permissions() == 0o700)
        #expect(try DurableFile(folder.path("a")).permissions() == 0o700)
    }

    @Test("An existing folder keeps its permissions")
    func keepsPermissions() throws {
        try DurableFile.makeFolder(folder.path("a"), mode: 0o750)
        try DurableFile.makeFolder(folder.path("a/b"), mode: 0o700)
        #expect(try DurableFile(folder.path("a")).permissions() == 0o750)
    }

    @Test("Making the root folder succeeds")
    func root() throws {
        try DurableFile.makeFolder("/")
    }

    @Test("A folder cannot be made in place of a file or below one")
    func fileInTheWay() throws {
        try DurableFile(folder.path("file")).write([1])
        expect(.other(EEXIST)) { () throws(FileError) in
            try DurableFile.makeFolder(folder.path("file"))
        }
        expect(.other(EEXIST)) { () throws(FileError) in
            try DurableFile.makeFolder(folder.path("file/below"))
        }
    }

    @Test("An empty name is refused as a folder")
    func empty() {
        expect(.notFound) { () throws(FileError) in try DurableFile.makeFolder("") }
    }
}
