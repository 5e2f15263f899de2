import CLinux
import Glibc

/// A keyboard that this program can type on. The keys that are down go up when it is destroyed.
package protocol KeyboardDevice: AnyObject, Sendable {
    /// Presses and releases a key. Returns false if that failed; a key may then still be down.
    func press(_ stroke: KeyStroke) -> Bool
}

/// A keyboard that the kernel makes for this program, through /dev/uinput.
package final class UInputDevice: KeyboardDevice {
    private let descriptor: Int32

    /// Makes the keyboard; nil if that failed, and `errno` then says why.
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
