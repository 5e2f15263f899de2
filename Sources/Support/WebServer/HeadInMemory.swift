import Glibc

/// The head of a request as libmicrohttpd has it in memory: every line where it came in, with
/// zeros in the place of what ended its parts.
struct HeadInMemory {
    let method: String
    let target: [UInt8]
    /// Nil where the first line has more in it than its three parts.
    fileprivate let firstHeader: UInt?
    fileprivate let end: UInt

    /// `at` is where the target stood, and `bytes` are those of the whole head.
    @unsafe init(
        method: UnsafePointer<CChar>, target: [UInt8], at address: UInt,
        version: UnsafePointer<CChar>, bytes: Int
    ) {
        unsafe self.method = String(cString: method)
        self.target = target
        let start = UInt(bitPattern: method)
        end = start &+ UInt(bytes)
        let versionStart = UInt(bitPattern: version)
        let isWhole =
            address == start &+ UInt(self.method.utf8.count) &+ 1
            && versionStart == address &+ UInt(target.count) &+ 1
        firstHeader =
            isWhole ? unsafe versionStart &+ UInt(strlen(version)) &+ HeadReading.lineEnd : nil
    }
}

/// Follows the headers through the memory of a head.
///
/// libmicrohttpd joins a folded line to the name of its header, takes a bare LF for the end of a
/// line, and ends a value at a NUL and the headers at a line that begins with one. Whatever of that
/// was done shows here: then a header is not where the one before it has ended. What cannot be seen is a
/// NUL right before a bare LF, because zeros are written over CR LF, too.
struct HeadReading {
    /// CR and LF.
    fileprivate static let lineEnd: UInt = 2

    private(set) var headers = WebHeaders()
    private let end: UInt
    /// Where the next line has to begin; nil where one has not.
    private var next: UInt?

    init(_ head: HeadInMemory) {
        (end, next) = (head.end, head.firstHeader)
    }

    /// Whether every line came as it was read, and nothing else came between or behind them.
    var isAsItCame: Bool { next.map { $0 &+ HeadReading.lineEnd == end } ?? false }

    @unsafe mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        unsafe headers.append(
            WebField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        let start = UInt(bitPattern: name.baseAddress)
        let valueStart = UInt(bitPattern: value.baseAddress)
        guard start == next, valueStart > start &+ UInt(name.count), valueStart < end else {
            next = nil
            return
        }
        next = valueStart &+ UInt(value.count) &+ HeadReading.lineEnd
    }
}
