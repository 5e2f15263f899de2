import CCurl
import Glibc
package import TapcardDomain

/// A transfer that ended without a usable response, and the resulting error for the caller.
package struct CurlFailure {
    /// The part of a response that exceeded its limit.
    package enum Excess: Hashable, Sendable { case head, body }

    private let code: CURLcode
    /// libcurl's description of the failure.
    private let message: String
    /// The part that was too large, if that is why the transfer was stopped.
    private let excess: Excess?
    /// Whether any part of the request was sent.
    private let isSent: Bool
    /// The error number of the last failed system call, if any.
    private let systemError: Int
    /// The status of a proxy's response to CONNECT; 0 if no proxy responded.
    private let proxyStatus: Int
    private let limits: HTTPLimits

    /// libcurl's code for a header line that is too long, since version 8.6. Older versions report
    /// CURLE_OUT_OF_MEMORY.
    private static let lineTooLong = CURLcode(rawValue: 100)

    package init(
        code: UInt32, words message: String, excess: Excess? = nil, isSent: Bool,
        systemError: Int = 0, proxyStatus: Int = 0, limits: HTTPLimits
    ) {
        (self.code, self.message) = (CURLcode(rawValue: code), message)
        (self.excess, self.isSent, self.limits) = (excess, isSent, limits)
        (self.systemError, self.proxyStatus) = (systemError, proxyStatus)
    }

    package var error: ServiceError {
        // tapcard itself stopped the transfer, so libcurl's code does not show why.
        if let excess { return tooLarge(excess) }
        if proxyStatus != 0, proxyStatus != 200 {
            return error(.offline, "the proxy refused the connection with status \(proxyStatus)")
                .because(of: .proxy)
        }
        return isSent ? afterSending : beforeSending.unsent
    }

    /// The error for a request that was sent at least in part. The service may have acted on it, so
    /// the error must never be "offline", no matter what libcurl reports.
    private var afterSending: ServiceError {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            ServiceError(.timedOut, "no complete response arrived within \(limits.whole.shown)")
        case CURLE_FILESIZE_EXCEEDED: tooLarge(.body)
        case CURLE_OUT_OF_MEMORY, CurlFailure.lineTooLong: tooLarge(.head)
        // The request was sent on a reused connection that turned out to be dead, and libcurl then
        // failed to open a new one.
        case CURLE_COULDNT_CONNECT: cutOff
        case _ where isDisconnect: cutOff
        default: notHTTP
        }
    }

    private var beforeSending: ServiceError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            error(.offline, "the host name was not found in DNS").because(of: .hostName)
        // libcurl's description may contain the proxy's full address, including a password.
        case CURLE_COULDNT_RESOLVE_PROXY:
            ServiceError(
                .offline, "the proxy's host name is unknown, or its address cannot be used"
            ).because(of: .proxy)
        case CURLE_COULDNT_CONNECT where message.contains("proxy scheme"):
            ServiceError(.offline, "the proxy type is unknown").because(of: .proxy)
        case CURLE_COULDNT_CONNECT:
            error(.offline, "no connection could be made; perhaps nothing is listening there")
                .because(of: .connection)
        case CURLE_PROXY:
            ServiceError(.offline, "the proxy refused the connection").because(of: .proxy)
        case CURLE_OPERATION_TIMEDOUT:
            ServiceError(.timedOut, "no connection was made within \(shorterLimit.shown)")
                .because(of: .connection)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            error(.certificate, "the server's key is not one that the code named")
                .because(of: .pinnedKey)
        // A machine without a battery for its clock may have started with a wrong date.
        case CURLE_PEER_FAILED_VERIFICATION
        where message.contains("not yet valid") || message.contains("expired"):
            error(
                .certificate,
                "the server's certificate has expired or is not valid yet, or this machine's clock "
                    + "is wrong"
            ).because(of: .certificateDates)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            error(.certificate, "the server could not prove its identity with its certificate")
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
            error(.certificate, "the file of trusted certificate authorities cannot be read")
        // If there was a system error, the connection was lost during the handshake. That may be
        // temporary; see `isDisconnect`.
        case CURLE_SSL_CONNECT_ERROR where systemError == 0,
            CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
            error(.certificate, "a secure connection (TLS) could not be made")
        case _ where isDisconnect: cutOff
        case CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: notHTTP
        case CURLE_URL_MALFORMAT: error(.badAddress, "the address cannot be used")
        default: error(.noClient, "libcurl failed, code \(code.rawValue)")
        }
    }

    private var isDisconnect: Bool {
        switch code {
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_SSL_CONNECT_ERROR: true
        // An invalid chunk has the same code as a lost connection. Only libcurl's description
        // distinguishes them.
        case CURLE_RECV_ERROR: !message.contains("chunk") && !message.contains("encoding")
        default: false
        }
    }

    private var cutOff: ServiceError {
        error(.cutOff, "the connection ended before the full response arrived")
    }

    private var notHTTP: ServiceError {
        error(.notHTTP, "the server does not follow the HTTP protocol")
    }

    private func tooLarge(_ excess: Excess) -> ServiceError {
        switch excess {
        case .head:
            ServiceError(
                .tooLarge, "the response header is larger than \(AnswerSink.maximumHeadSize) bytes")
        case .body:
            ServiceError(
                .tooLarge, "the response body is larger than \(AnswerSink.maximumBodySize) bytes")
        }
    }

    private var shorterLimit: Duration { min(limits.connecting, limits.whole) }

    private func error(_ kind: ServiceError.Kind, _ meaning: String) -> ServiceError {
        ServiceError(kind, "\(meaning) (\(Shown.text(message)))")
    }
}

extension Duration {
    /// The duration as shown to users, such as "15 s" or "0.25 s".
    var shown: String {
        let (seconds, rest) = components
        let hundredths = Int(rest / 10_000_000_000_000_000)
        guard hundredths > 0 else { return "\(seconds) s" }
        let digits = hundredths < 10 ? "0\(hundredths)" : "\(hundredths)"
        return "\(seconds).\(digits) s"
    }
}
