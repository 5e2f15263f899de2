import CardCryptography
import TextCodecs

/// The bytes of a vector. One that is not hexadecimal is empty and fails every comparison.
func bytes(_ hexadecimal: String) -> [UInt8] {
    Hexadecimal.decode(hexadecimal) ?? []
}

/// The key that every chip has from the factory, and that most examples use.
let factoryKey = AESKey([UInt8](repeating: 0, count: AESKey.size))

func key(_ hexadecimal: String) -> AESKey { AESKey(bytes(hexadecimal)) }
