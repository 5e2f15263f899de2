/// The table of the conditions that only the server can report. `docs/API.md` lists them.
package enum ServerCondition: String, CaseIterable {
    case notJSON = "not-json"
    case notAnObject = "not-an-object"
    case tokenMissing = "token-missing"
    case staleToken = "stale-token"
    case loginNeeded = "login-needed"
    case wrongPassword = "wrong-password"
    case tokenForbidden = "token-forbidden"
    case roleNeeded = "role-needed"
    case forbiddenHost = "forbidden-host"
    case forbiddenOrigin = "forbidden-origin"
    case noSuchTill = "no-such-till"
    case noSuchOperation = "no-such-operation"
    case notFound = "not-found"
    case wrongMethod = "wrong-method"
    case operatorNeeded = "operator-needed"
    case readerTaken = "reader-taken"
    case wrongReader = "wrong-reader"
    case readerElsewhere = "reader-elsewhere"
    case notBegun = "not-begun"
    case tooLate = "too-late"
    case cardPresent = "card-present"
    case cardNeeded = "card-needed"
    case pageGone = "page-gone"
    case wrongContentType = "wrong-content-type"
    case tooManyAttempts = "too-many-attempts"
    case starting
    case closing
    case tooManyListeners = "too-many-listeners"
    case tooManyLogins = "too-many-logins"

    package var status: Int {
        switch self {
        case .notJSON, .notAnObject: 400
        case .tokenMissing, .staleToken, .loginNeeded, .wrongPassword: 401
        case .tokenForbidden, .roleNeeded, .forbiddenHost, .forbiddenOrigin: 403
        case .noSuchTill, .noSuchOperation, .notFound: 404
        case .wrongMethod: 405
        case .operatorNeeded, .readerTaken, .wrongReader, .notBegun, .tooLate: 409
        case .cardPresent, .cardNeeded, .pageGone: 409
        case .wrongContentType: 415
        case .tooManyAttempts: 429
        case .readerElsewhere: 502
        case .starting, .closing, .tooManyListeners, .tooManyLogins: 503
        }
    }
}
