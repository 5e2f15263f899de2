import Glibc
import SimulatedReader

/// A path of its own for one test, without a file; whatever comes to be there goes away with it.
final class TemporaryPath: Sendable {
    let path = "/tmp/tapcard-simulation-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"

    var file: SimulationFile { SimulationFile(path: path) }

    deinit {
        for end in ["", ".lock", ".reader"] { _ = unsafe unlink(path + end) }
    }
}
