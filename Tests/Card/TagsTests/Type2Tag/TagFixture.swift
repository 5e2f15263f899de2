import Glibc
import TestSupport
import Testing

/// The text of a file in `fixtures/tags`.
func fixture(_ name: String) throws -> String {
    let descriptor = unsafe open(Repository.path("fixtures/tags/\(name)"), O_RDONLY)
    try #require(descriptor >= 0, "no fixture \(name)")
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let length = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress, buffer.count)
    }
    try #require(length > 0 && length < bytes.count)
    return String(decoding: bytes.prefix(length), as: UTF8.self)
}
