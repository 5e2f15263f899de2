import BlockingLane
import Tags

/// Queries pcscd on a reader's lane, before the reader is opened.
actor PCSCLister {
    private nonisolated let lane: BlockingLane

    init(_ lane: BlockingLane) { self.lane = lane }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    func connectedReaders() throws(ReaderError) -> [String] {
        do throws(PCSCStatus) {
            return try PCSCContext.establish().readers()
        } catch {
            guard error.isServiceGone else { throw error.readerError }
            throw ReaderError(.noReader, "pcscd is not running, or this user cannot access it")
        }
    }
}
