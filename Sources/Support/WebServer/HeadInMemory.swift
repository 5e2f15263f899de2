import Glibc

/// The head of a request in libmicrohttpd's memory: every line is still where it was received, with
/// zeros in place of the separators.
struct HeadInMemory {
    let method: String
    let target: [UInt8]
    /// Whether the HTTP version requires a Host header.
    let needsHost: Bool
    /// The address of the first header. `nil` if the first line has more than its three parts.
    fileprivate let firstHeader: UInt?
    fileprivate let end: UInt

    /// `at` is the address of the target, and `bytes` is the length of the whole head.
    @unsafe init(
        method: UnsafePointer<CChar>, target: [UInt8], at address: UInt,
        version: UnsafePointer<CChar>, bytes: Int
    ) {
        unsafe self.method = String(cString: method)
        self.target = target
        // Only HTTP/1.0 allows a request without a Host header.
        needsHost = unsafe strcmp(version, "HTTP/1.0") != 0
        let start = UInt(bitPattern: method)
        end = start &+ UInt(bytes)
        let versionStart = UInt(bitPattern: version)
        let isWhole =
            // Exactly one byte, formerly a space, separates the method, target, and version. A
            // larger gap means that the line had more parts.
            address == start &+ UInt(self.method.utf8.count) &+ 1
            && versionStart == address &+ UInt(target.count) &+ 1
        firstHeader =
            isWhole ? unsafe versionStart &+ UInt(strlen(version)) &+ HeadReading.lineEnd : nil
    }
}

/// Collects a head's headers and checks that libmicrohttpd has not changed any of their lines.
///
/// libmicrohttpd joins a folded line to its header's name, treats a bare LF as the end of a line,
/// ends a value at a NUL, and ends the headers at a line that begins with a NUL. All of this is
/// detected here, because in these cases a header does not begin where the previous one ended. Only
/// a NUL right before a bare LF goes undetected, because CR LF is also overwritten with zeros.
struct HeadReading {
    /// The length of CR and LF.
    fileprivate static let lineEnd: UInt = 2

    private(set) var headers = WebHeaders()
    private let end: UInt
    /// The address where the next line has to begin. `nil` after a mismatch.
    private var next: UInt?

    init(_ head: HeadInMemory) {
        (end, next) = (head.end, head.firstHeader)
    }

    /// Whether every line is unchanged, with nothing between the lines or after them.
    var linesAreUnchanged: Bool { next.map { $0 &+ HeadReading.lineEnd == end } ?? false }

    @unsafe mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        unsafe headers.append(
            WebField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        let start = UInt(bitPattern: name.baseAddress)
        let valueStart = UInt(bitPattern: value.baseAddress)
        // A gap or an overlap reveals a line that libmicrohttpd has changed.
        guard start == next, valueStart > start &+ UInt(name.count), valueStart < end else {
            next = nil
            return
        }
        next = valueStart &+ UInt(value.count) &+ HeadReading.lineEnd
    }
}
