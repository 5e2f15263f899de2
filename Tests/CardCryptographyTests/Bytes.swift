import TextCodecs

/// The bytes of a vector. One that is not hexadecimal is empty and fails every comparison.
func bytes(_ hexadecimal: String) -> [UInt8] {
    Hexadecimal.decode(hexadecimal) ?? []
}

/// The same byte over and over, as the vectors of the RFCs have it.
func bytes(_ byte: UInt8, count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
}
