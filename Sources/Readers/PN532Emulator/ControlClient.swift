import Glibc

/// The other end of a control socket.
enum ControlClient {
    private static let secondsToAnswer = 5
    private static let longestAnswerInBytes = 65_536

    static func tell(_ line: String, _ path: String) throws(EmulatorError) -> String {
        // A line end in the middle would make two lines of it.
        guard line.utf8.count <= Emulation.longestLine, !line.contains(where: \.isNewline) else {
            throw EmulatorError(
                .control, "a control line is one line of at most \(Emulation.longestLine) bytes")
        }
        let descriptor = try ControlSocket.connect(path)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: secondsToAnswer, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array((line + "\n").utf8)
        guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw .last(path) }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while answer.last != UInt8(ascii: "\n") {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, answer.count + count <= longestAnswerInBytes else {
                throw EmulatorError(.system, "\(path) does not answer")
            }
            answer += chunk.prefix(count)
        }
        return String(decoding: answer.dropLast(), as: UTF8.self)
    }
}
