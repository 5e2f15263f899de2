import OperatingSystem
import TestSupport
import Testing

/// The text of a file in `fixtures/tags` that describes an NTAG 424.
func chipFixture(_ name: String) throws -> String {
    let bytes = try DurableFile(Repository.path("fixtures/tags/\(name)")).read(limit: 65_536)
    return String(decoding: try #require(bytes), as: UTF8.self)
}
