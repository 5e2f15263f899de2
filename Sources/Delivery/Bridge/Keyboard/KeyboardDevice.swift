import CLinux
import Glibc

/// A keyboard that this program can type on. Destroying it releases all keys.
package protocol KeyboardDevice: AnyObject, Sendable {
    /// Presses and releases a key. Returns false on failure, which may leave a key down.
    func press(_ stroke: KeyStroke) -> Bool
}

/// A virtual keyboard, created through /dev/uinput.
package final class UInputDevice: KeyboardDevice {
    private let descriptor: Int32

    /// Creates the keyboard. Returns nil and sets `errno` on failure.
    package init?() {
        descriptor = unsafe linux_make_keyboard("tapcard")
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func press(_ stroke: KeyStroke) -> Bool {
        let keys = stroke.events.map { linux_key(code: $0.code, is_down: $0.isDown ? 1 : 0) }
        return unsafe linux_move_keys(descriptor, keys, keys.count) == 0
    }
}
