import BlockingLane
import Glibc
import TestSupport
import Testing
import WebServer

/// The server has a certificate made for the test, and the client is OpenSSL's own.
@Suite("The web server over TLS", .timeLimit(.minutes(5))) struct TLSTests {
    /// Runs shell commands on a separate thread, and returns their output and success.
    private actor Shell {
        private let lane = BlockingLane(label: "shell")
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe lane.asUnownedSerialExecutor()
        }

        func run(_ line: String) -> (text: String, isFine: Bool) {
            guard let pipe = unsafe popen(line, "r") else { return ("", false) }
            var text: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe fread(&part, 1, part.count, pipe)
                if count == 0 { break }
                text += part.prefix(count)
            }
            return (String(decoding: text, as: UTF8.self), unsafe pclose(pipe) == 0)
        }
    }

    private let shell = Shell()

    private struct Certificate {
        let tls: WebServerSettings.TLS
        /// The file that holds it.
        let file: String
    }

    /// A self-signed certificate for this address, in a folder that the caller removes.
    private func certificate(_ folder: String) async throws -> Certificate {
        let made = await shell.run(
            "mkdir -p \(folder) && openssl req -x509 -newkey rsa:2048 -nodes -days 2 "
                + "-subj /CN=tapcard -addext subjectAltName=IP:127.0.0.1 "
                + "-keyout \(folder)/key.pem -out \(folder)/certificate.pem 2>&1")
        try #require(made.isFine, "\(made.text)")
        return Certificate(
            tls: WebServerSettings.TLS(
                certificatePEM: await shell.run("cat \(folder)/certificate.pem").text,
                keyPEM: await shell.run("cat \(folder)/key.pem").text),
            file: "\(folder)/certificate.pem")
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = await shell.run("mktemp -d").text.split(separator: "\n").joined()
        try #require(folder.hasPrefix("/"))
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(folder))
        } catch {
            result = .failure(error)
        }
        _ = await shell.run("rm -r \(folder)")
        try result.get()
    }

    private func ask(
        _ port: UInt16, trusting file: String, _ options: String = ""
    ) async -> (text: String, isFine: Bool) {
        await shell.run(
            "printf 'GET /x HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' | openssl "
                + "s_client -quiet -verify_return_error -verify_ip 127.0.0.1 -CAfile \(file) "
                + "\(options) -connect 127.0.0.1:\(port) 2>&1")
    }

    /// The client allows old versions, so that only the server can refuse them.
    @Test("Only safe versions and ciphers of TLS are accepted")
    func onlyWhatIsSafeIsSpoken() async throws {
        try await withFolder { folder in
            let certificate = try await certificate(folder)
            let server = try ServedExamples.start(
                ServedExamples.settings { $0.tls = certificate.tls })
            for options in [
                "-tls1_3", "-tls1_2", "-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256",
                "-tls1_2 -cipher ECDHE-RSA-CHACHA20-POLY1305", "-groups X25519", "-groups P-256",
                "-groups P-384", "-tls1_2 -groups P-384",
            ] {
                let answer = await ask(server.port, trusting: certificate.file, options)
                #expect(answer.text.contains("GET /x ? 0"), "\(options): \(answer.text)")
            }
            for options in [
                "-tls1 -cipher ALL:@SECLEVEL=0", "-tls1_1 -cipher ALL:@SECLEVEL=0",
                "-tls1_2 -cipher ECDHE-RSA-AES256-SHA384", "-tls1_2 -cipher AES128-GCM-SHA256",
                "-tls1_2 -cipher ECDHE-RSA-AES128-SHA", "-tls1_2 -cipher DHE-RSA-AES128-SHA256",
            ] {
                let answer = await ask(server.port, trusting: certificate.file, options)
                #expect(!answer.isFine && !answer.text.contains("GET /x"), "\(options)")
                // It is the server that ends it.
                #expect(answer.text.contains("unexpected eof"), "\(options): \(answer.text)")
            }
        }
    }

    /// The client chooses the group, and all others wait while the server computes with it.
    @Test(
        "An expensive key exchange group is refused",
        arguments: [
            "ffdhe2048", "ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192", "P-521", "X448",
        ])
    func aDearGroupIsRefused(_ group: String) async throws {
        try await withFolder { folder in
            let certificate = try await certificate(folder)
            let server = try ServedExamples.start(
                ServedExamples.settings { $0.tls = certificate.tls })
            let answer = await ask(server.port, trusting: certificate.file, "-groups \(group)")
            #expect(!answer.isFine && !answer.text.contains("GET /x"), "\(answer.text)")
            // It is the server that ends it.
            #expect(answer.text.contains("unexpected eof"), "\(answer.text)")
        }
    }

    /// Another handshake on the connection would cost as much as the first.
    @Test("Renegotiation is refused")
    func nothingIsNegotiatedAgain() async throws {
        try await withFolder { folder in
            let certificate = try await certificate(folder)
            let server = try ServedExamples.start(
                ServedExamples.settings { $0.tls = certificate.tls })
            // s_client negotiates again at a line of its own, "R". At the end of its input it
            // would leave before the server's answer, so it reads a pipe that never ends.
            let answer = await shell.run(
                "mkfifo \(folder)/input && exec 3<>\(folder)/input && printf 'R\\n' >&3 && "
                    + "timeout 60 openssl s_client -tls1_2 -CAfile \(certificate.file) "
                    + "-connect 127.0.0.1:\(server.port) <&3 2>&1")
            #expect(answer.text.hasSuffix("RENEGOTIATING\nclosed\n"), "\(answer.text)")
        }
    }

    @Test("A renewed certificate is used for new connections, and a bad one is refused")
    func anotherCertificateIsShownToNewClientsAlone() async throws {
        try await withFolder { folder in
            let old = try await certificate(folder)
            let new = try await certificate(folder + "/new")
            let first = Door()
            let server = try ServedExamples.start(
                ServedExamples.settings { $0.tls = old.tls }
            ) { request in
                if request.path == "/first" { first.open() }
                return await ServedExamples.mirror(request)
            }
            // It asks again over the same connection when it is told to.
            _ = await shell.run("mkfifo \(folder)/go")
            let other = Shell()
            async let connected = other.run(
                "(printf 'GET /first HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'; cat \(folder)/go) | openssl "
                    + "s_client -quiet -verify_return_error -CAfile \(old.file) "
                    + "-connect 127.0.0.1:\(server.port) 2>&1")
            await first.pass()
            try await server.renew(new.tls)
            #expect(await ask(server.port, trusting: new.file).text.contains("GET /x ? 0"))
            #expect(await !ask(server.port, trusting: old.file).isFine)
            do throws(WebServerError) {
                try await server.renew(.init(certificatePEM: "x", keyPEM: "y"))
                Issue.record("it was taken")
            } catch {
                #expect(error.kind == .badCertificate)
            }
            #expect(await ask(server.port, trusting: new.file).text.contains("GET /x ? 0"))
            _ = await shell.run(
                "printf 'GET /second HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' "
                    + "> \(folder)/go")
            let answers = await connected.text
            #expect(answers.contains("GET /first ? 0") && answers.contains("GET /second ? 0"))
            await server.stop(within: .seconds(60))
            await #expect(throws: WebServerError.self) { try await server.renew(old.tls) }
        }
    }

    @Test("A stream reaches a client that trusts the certificate")
    func answersAndStreamsToWhoTrustsIt() async throws {
        try await withFolder { folder in
            let certificate = try await certificate(folder)
            let event = String(repeating: "data: 1\n", count: 10_000)
            let server = try ServedExamples.start(
                ServedExamples.settings { $0.tls = certificate.tls }
            ) { request in
                let stream = WebStream(capacity: 100_000)
                stream.send(Array("\(request.path)\n".utf8))
                Task {
                    await Task.yield()
                    stream.send(Array(event.utf8))
                    stream.finish()
                }
                return WebResponse(200, body: .stream(stream))
            }
            for _ in 1...3 {
                let answer = await ask(server.port, trusting: certificate.file)
                #expect(answer.text.contains("HTTP/1.1 200 OK"))
                #expect(answer.text.contains("/x\n"))
                #expect(answer.text.contains("0\r\n\r\n"))
            }
            await server.stop(within: .seconds(60))
        }
    }

    @Test("A client that distrusts the certificate, or has no TLS, makes no request")
    func whoDoesNotTrustItAsksNothing() async throws {
        try await withFolder { folder in
            let served = try await certificate(folder)
            let other = try await certificate(folder + "/other")
            let asked = Guarded(0)
            let server = try ServedExamples.start(
                ServedExamples.settings { $0.tls = served.tls }
            ) { request in
                asked.withLock { $0 += 1 }
                return await ServedExamples.mirror(request)
            }
            let answer = await ask(server.port, trusting: other.file)
            #expect(!answer.isFine)
            #expect(answer.text.contains("verify error") || answer.text.contains("verify failed"))
            #expect(asked.withLock { $0 } == 0)
            // Nor does one that speaks no TLS.
            let plain = try RawClient(server.port)
            try await plain.get("/x")
            let rest = try await plain.rest()
            #expect(!String(decoding: rest, as: UTF8.self).contains("HTTP/1.1 2"))
            #expect(asked.withLock { $0 } == 0)
            #expect(await ask(server.port, trusting: served.file).text.contains("GET /x ? 0"))
        }
    }

    @Test("An invalid certificate or key is reported when the server starts")
    func aCertificateThatIsNoneIsSaid() async throws {
        try await withFolder { folder in
            let tls = try await certificate(folder).tls
            let other = try await certificate(folder + "/other").tls
            for (certificatePEM, keyPEM) in [
                ("", ""), ("x", tls.keyPEM), (tls.certificatePEM, "x"),
                (tls.certificatePEM, other.keyPEM), (tls.keyPEM, tls.certificatePEM),
            ] {
                do throws(WebServerError) {
                    _ = try ServedExamples.start(
                        ServedExamples.settings {
                            $0.tls = .init(certificatePEM: certificatePEM, keyPEM: keyPEM)
                        }, handler: ServedExamples.mirror)
                    Issue.record("it was taken")
                } catch {
                    #expect(error.kind == .badCertificate)
                    #expect(!error.detail.contains { $0.isNewline }, "\(error.detail)")
                }
            }
        }
    }
}
