import Glibc

/// A file that the kernel generates while it is read, and that has no size.
enum KernelFile {
    static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    static func text(_ path: String) throws -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(descriptor, buffer.baseAddress, buffer.count)
        }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .replacing("\n", with: "")
    }
}
