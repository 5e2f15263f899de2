import CCurl
import Glibc
import ServicePorts

/// A transfer that ended without an answer, and what that means for whoever asked.
struct CurlFailure {
    let code: CURLcode
    /// What libcurl says of it.
    let words: String
    /// Whether it ended because we took no more.
    let isTooLarge: Bool
    /// Whether the request could be sent.
    let isConnected: Bool
    /// What the last call of the system said, where one failed.
    let systemError: Int
    /// What a proxy answered that was asked for a connection; 0 without one.
    let proxyStatus: Int
    let limits: HTTPLimits

    var error: ServiceError {
        if isTooLarge { return tooLarge }
        if proxyStatus != 0, proxyStatus != 200 {
            return error(.unreachable, "the proxy makes no connection, status \(proxyStatus)")
        }
        return switch code {
        case CURLE_COULDNT_RESOLVE_HOST: error(.unreachable, "no such name is known")
        case CURLE_COULDNT_RESOLVE_PROXY: error(.unreachable, "the proxy's name is not known")
        case CURLE_COULDNT_CONNECT: error(.unreachable, "nobody answers there")
        case CURLE_PROXY: error(.unreachable, "the proxy makes no connection")
        case CURLE_OPERATION_TIMEDOUT: timedOut
        case CURLE_FILESIZE_EXCEEDED: tooLarge
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            error(.certificate, "it cannot prove who it is")
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
            error(.certificate, "the authorities to believe in cannot be read")
        case CURLE_SSL_CONNECT_ERROR where systemError == 0,
            CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
            error(.certificate, "no protected connection can be made")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_SSL_CONNECT_ERROR:
            error(.cutOff, "the connection ended before the answer did")
        case CURLE_RECV_ERROR where !isGarbage:
            error(.cutOff, "the connection ended before the answer did")
        case CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL,
            CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            error(.notHTTP, "what answers there does not keep to HTTP")
        case CURLE_URL_MALFORMAT: error(.badAddress, "the address cannot be used")
        default: error(.noClient, "libcurl failed, code \(code.rawValue)")
        }
    }

    /// A piece that is none by the rules comes under the same code as a connection that broke.
    private var isGarbage: Bool { words.contains("chunk") || words.contains("encoding") }

    private var tooLarge: ServiceError {
        ServiceError(.tooLarge, "the answer has more than \(AnswerSink.longestBody) bytes")
    }

    private var timedOut: ServiceError {
        isConnected
            ? ServiceError(.timedOut, "no whole answer came within \(limits.whole.shown)")
            : ServiceError(.timedOut, "no connection came about within \(shorterLimit.shown)")
    }

    private var shorterLimit: Duration { min(limits.connecting, limits.whole) }

    private func error(_ kind: ServiceError.Kind, _ meaning: String) -> ServiceError {
        ServiceError(kind, "\(meaning) (\(Shown.text(words)))")
    }
}

extension Duration {
    /// As people read it: "15 s", "0.25 s".
    var shown: String {
        let (seconds, rest) = components
        let hundredths = Int(rest / 10_000_000_000_000_000)
        guard hundredths > 0 else { return "\(seconds) s" }
        let digits = hundredths < 10 ? "0\(hundredths)" : "\(hundredths)"
        return "\(seconds).\(digits) s"
    }
}
