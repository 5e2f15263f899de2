import TextCodecs

/// The bytes of a vector. One that is not hexadecimal is empty and fails every comparison.
func bytes(_ hexadecimal: String) -> [UInt8] {
    Hexadecimal.decode(hexadecimal) ?? []
}

/// One byte repeated, as in the vectors of the RFCs.
func bytes(_ byte: UInt8, count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
}
