import Glibc
import SimulatedReader

/// A path for one test, at first without a file; any file that appears there is deleted with it.
final class TemporaryPath: Sendable {
    let path = "/tmp/tapcard-simulation-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"

    var file: SimulationFile { SimulationFile(path: path) }

    deinit {
        for end in ["", ".lock", ".reader"] { _ = unsafe unlink(path + end) }
    }
}
