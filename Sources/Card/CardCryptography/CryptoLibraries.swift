import CNettle
import COpenSSL
import OperatingSystem

/// The C libraries with the algorithms, each loaded at first use.
///
/// nettle has all that a tap needs: loading it and running its first code costs 0.4 million
/// instructions, with libcrypto 8 million. libcrypto has the chip maker's curve and scrypt.
enum CryptoLibraries {
    static let nettle = unsafe LoadableLibrary(name: "nettle", package: "libnettle8")
        .loadOrEnd("libnettle.so.8", tapcard_nettle()) { unsafe tapcard_nettle_bind($0, $1) }
    static let crypto = unsafe LoadableLibrary(name: "libcrypto", package: "libssl3")
        .loadOrEnd("libcrypto.so.3", tapcard_crypto()) { unsafe tapcard_crypto_bind($0, $1) }
}
