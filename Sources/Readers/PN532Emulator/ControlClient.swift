import Glibc

/// The client of a control socket.
package enum ControlClient {
    /// How long an emulated reader may take to respond, in milliseconds.
    private static let answerTimeout = 5_000
    private static let maximumAnswerSize = 65_536

    /// Sends a line and returns the response. `limit` is in milliseconds and applies separately to
    /// connecting and to the response.
    package static func tell(
        _ line: String, _ path: String, within limit: Int = answerTimeout
    ) throws(EmulatorError) -> String {
        // A line ending inside the line would turn one command into two.
        guard line.utf8.count <= Emulation.maximumLineLength, !line.contains(where: \.isNewline)
        else {
            throw EmulatorError(
                .control,
                "a control command must be a single line of at most "
                    + "\(Emulation.maximumLineLength) bytes")
        }
        let descriptor: Int32
        do {
            descriptor = try ControlSocket.connect(path, within: limit)
        } catch {
            // Here, `.busy` means that nothing is accepting connections: the emulator is suspended
            // or has too many clients.
            guard error.kind == .busy else { throw error }
            throw EmulatorError(.system, "\(path) exists, but no program responds there")
        }
        defer { close(descriptor) }
        let bytes = Array((line + "\n").utf8)
        // Without MSG_NOSIGNAL, SIGPIPE would kill this process if the emulator has just ended.
        let sent = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard sent >= 0 else { throw .last(path) }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while answer.last != UInt8(ascii: "\n") {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            // If time runs out, `recv` returns an error. In every case handled here, the line may
            // have been executed.
            guard count > 0, answer.count + count <= maximumAnswerSize else {
                throw EmulatorError(.unanswered, "\(path) did not respond")
            }
            answer += chunk.prefix(count)
        }
        return String(decoding: answer.dropLast(), as: UTF8.self)
    }
}
