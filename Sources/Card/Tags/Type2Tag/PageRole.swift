/// The purpose of a page.
public enum PageRole: Hashable, Sendable {
    /// The serial number and its check bytes.
    case serial
    /// The end of the serial number, and the lock bits of pages 3 to 15.
    case lock
    /// The capability container, which is one-time programmable.
    case capability
    /// User memory.
    case user
    /// The lock bits for pages 16 and up.
    case dynamicLock
    /// CFG0 and CFG1.
    case configuration
    /// The password.
    case password
    /// The tag's response to the correct password.
    case pack
    /// The page does not exist on the chip.
    case absent
}

extension Type2Chip {
    /// The purpose of this page on this chip.
    public func role(of page: UInt8) -> PageRole {
        switch page {
        case 0, 1: .serial
        case 2: .lock
        case 3: .capability
        case userPages: .user
        case dynamicLockPage: .dynamicLock
        case configurationPage, configurationPage.map { $0 + 1 }: .configuration
        case passwordPage: .password
        case packPage: .pack
        default: .absent
        }
    }
}
