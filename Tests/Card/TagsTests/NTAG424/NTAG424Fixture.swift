import OperatingSystem
import TestSupport
import Testing

/// The text of a chip's file in `fixtures/tags`.
func chipFixture(_ name: String) throws -> String {
    let bytes = try DurableFile(Repository.path("fixtures/tags/\(name)")).read(limit: 65_536)
    return String(decoding: try #require(bytes), as: UTF8.self)
}
