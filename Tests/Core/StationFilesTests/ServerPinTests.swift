import Glibc
import OperatingSystem
import StationFiles
import TestSupport
import Testing
import TextCodecs

@Suite("Keys by which an agent recognizes its server")
struct ServerPinTests {
    /// What `openssl` printed for this key.
    private static let pin = "N1m5waKHbXmahF-cmyLyc7SIO9kjOrhovGXZa39jZUs"

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBbTCCAROgAwIBAgIUN9sXRemyRO29RdsNFYe+3ZfA6kgwCgYIKoZIzj0EAwIw
        DDEKMAgGA1UEAwwBeDAeFw0yNjExMzAxNDQ3NThaFw0yNjEyMDExNDQ3NThaMAwx
        CjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASUbcA+J6VTf0Fh
        YvCGFq3p5NVhJiapcLoj9HYehWxbqFzJdQc9pBaIPFjcE0ZhteQVmW2uX8HNtVYC
        DBPsEgUAo1MwUTAdBgNVHQ4EFgQUFTc6ZM2KHbOp2CKbYpd6q2idPk0wHwYDVR0j
        BBgwFoAUFTc6ZM2KHbOp2CKbYpd6q2idPk0wDwYDVR0TAQH/BAUwAwEB/zAKBggq
        hkjOPQQDAgNIADBFAiEA7GdrMCRo1Zbz43Qsw81TJnrQn+9NOuEnyFGo3DQ7GEYC
        IH+tNIAlGLsZfLYV+7lfuOiNKIP+22qTW8ZvOGhghjaj
        -----END CERTIFICATE-----
        """
    /// A certificate of the same key, of version 1 of X.509.
    private static let early = """
        -----BEGIN CERTIFICATE-----
        MIIBFTCBuwIUEjhyDbIXZkqgUUODBm1LrVMCAOEwCgYIKoZIzj0EAwIwDTELMAkG
        A1UEAwwCdjEwHhcNMjYxMTMwMTQ1MjMyWhcNMjYxMjAxMTQ1MjMyWjANMQswCQYD
        VQQDDAJ2MTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJRtwD4npVN/QWFi8IYW
        renk1WEmJqlwuiP0dh6FbFuoXMl1Bz2kFog8WNwTRmG15BWZba5fwc21VgIME+wS
        BQAwCgYIKoZIzj0EAwIDSQAwRgIhAOKbXJI2CavGLevZerNiV9GHKshO0sfCxW2Z
        Wse6MNWkAiEA0CNmnehtlC3Rf3y2SDLHv1nodzGaGnNcYM5Cf+iE5PU=
        -----END CERTIFICATE-----
        """

    private func pin(_ text: String) -> String? {
        ServerPin(certificatePEM: Array(text.utf8))?.text
    }

    @Test("The pin is the hash of the first certificate's key, whatever else the file contains")
    func certificates() {
        for certificate in [Self.certificate, Self.early] {
            #expect(pin(certificate) == Self.pin)
            #expect(pin(certificate.replacing("\n", with: "\r\n")) == Self.pin)
        }
        let key = "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"
        #expect(pin(key + Self.certificate + "\n" + Self.early) == Self.pin)
        #expect(pin(key) == nil && pin("") == nil)
    }

    @Test("A certificate that is cut short or altered anywhere never stops the program")
    func damaged() throws {
        let lines = Self.certificate.split(separator: "\n")
        let bytes = try #require(Base64.decode(lines.dropFirst().dropLast().joined()))
        func pin(_ bytes: [UInt8]) -> String? {
            self.pin("\(lines[0])\n\(Base64.encode(bytes))\n-----END CERTIFICATE-----\n")
        }
        #expect(pin(bytes) == Self.pin)
        for count in bytes.indices { #expect(pin(Array(bytes.prefix(count))) == nil) }
        for place in bytes.indices {
            for value in [0, 0x7F, 0x84, 0xFF] as [UInt8] {
                var altered = bytes
                altered[place] = value
                _ = pin(altered)
            }
        }
    }

    @Test("A printed code is taken apart, and a part that is missing is noticed")
    func codes() {
        let code = "4T8K-9M2X-QW7P"
        let parts = EnrollmentCode.parts(of: "\(code).\(Self.pin).\(Self.pin)")
        #expect(parts?.code == code && parts?.pins.map(\.text) == [Self.pin, Self.pin])
        #expect(EnrollmentCode.parts(of: code)?.pins == [])
        for wrong in ["\(code).", "\(code).\(Self.pin.dropLast())", "\(code).\(Self.pin)."] {
            #expect(EnrollmentCode.parts(of: wrong) == nil, "\(wrong)")
        }
    }

    @Test("A connection is saved with its pins, and one whose code was not accepted is not listed")
    func connections() throws {
        let folder = TestPath.new("connections")
        try DurableFile.makeFolder(folder)
        defer {
            unsafe unlink(folder + "/connections.json")
            unsafe unlink(folder + "/connections.json.lock")
            unsafe rmdir(folder)
        }
        let file = ConnectionFile(in: folder)
        let pin = try #require(ServerPin(Self.pin))
        let saved = AgentConnection(
            reader: "sim", servers: ["https://a.example"], token: "t", code: "c", pins: [pin])
        var pending = saved
        pending.reader = "sim?"
        try file.save(saved)
        try file.save(pending)
        #expect(try file.connections() == [saved])
        #expect(try file.connection(of: "sim?") == pending)
    }
}
