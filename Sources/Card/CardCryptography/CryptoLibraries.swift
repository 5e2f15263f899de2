import CNettle
import COpenSSL
import OperatingSystem

/// The C libraries that provide the algorithms, each loaded on first use.
///
/// A tap needs only nettle. Loading nettle and running its code for the first time takes 0.4
/// million instructions. For libcrypto, it takes 8 million. libcrypto provides scrypt and the
/// curves for the chip maker's signatures.
enum CryptoLibraries {
    static let nettle = unsafe LoadableLibrary(name: "nettle", package: "libnettle8")
        .loadOrExit("libnettle.so.8", tapcard_nettle()) { unsafe tapcard_nettle_bind($0, $1) }
    static let crypto = unsafe LoadableLibrary(name: "libcrypto", package: "libssl3")
        .loadOrExit("libcrypto.so.3", tapcard_crypto()) { unsafe tapcard_crypto_bind($0, $1) }
}
