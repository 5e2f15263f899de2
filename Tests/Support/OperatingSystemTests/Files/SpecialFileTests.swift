import Glibc
import OperatingSystem
import Testing

@Suite("Special files in place of a regular one")
struct SpecialFileTests {
    private static let patience: UInt32 = 20

    @Test("A pipe without a writer is refused without waiting")
    func pipe() async {
        // In a process of its own, which an alarm ends should it wait for ever.
        await #expect(processExitsWith: .success) {
            alarm(SpecialFileTests.patience)
            let folder = try ScratchFolder()
            let file = DurableFile(folder.path("pipe"))
            try #require(unsafe mkfifo(file.path, 0o600) == 0)
            let error = #expect(throws: FileError.self) { try file.read() }
            #expect(error?.kind == .notRegular)
            #expect(error?.detail == "\(file.path) is a pipe, not a file")
            // Written it is a file again.
            try file.write([1])
            #expect(try file.read() == [1])
        }
    }

    @Test("A device is refused as a file", arguments: ["/dev/null", "/dev/zero"])
    func device(path: String) throws {
        let error = #expect(throws: FileError.self) { try DurableFile(path).read() }
        #expect(error?.kind == .notRegular)
        #expect(error?.detail == "\(path) is a device, not a file")
    }

    @Test("A socket is refused as a file")
    func socket() throws {
        let folder = try ScratchFolder()
        let path = folder.path("socket")
        let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &place.sun_path) {
            unsafe $0.copyBytes(from: Array(path.utf8))
        }
        let isBound = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound)
        expect(.notRegular) { () throws(FileError) in _ = try DurableFile(path).read() }
    }

    @Test("A pipe that a person names is read to its end")
    func named() async throws {
        let folder = try ScratchFolder()
        let name = folder.path("pipe")
        try #require(unsafe mkfifo(name, 0o600) == 0)
        try #require(try SystemProgram.run("sh", "-c", "printf abc > \"$0\" &", name) == 0)
        #expect(try DurableFile(name).readStream() == Array("abc".utf8))
        #expect(try DurableFile(folder.path("none")).readStream() == nil)
    }
}
