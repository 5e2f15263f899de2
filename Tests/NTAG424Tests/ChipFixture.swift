import DurableFile
import Testing

/// The text of a chip's file in `fixtures/tags`.
func chipFixture(_ name: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let bytes = try DurableFile("/\(root)/fixtures/tags/\(name)").read(limit: 65_536)
    return String(decoding: try #require(bytes), as: UTF8.self)
}
