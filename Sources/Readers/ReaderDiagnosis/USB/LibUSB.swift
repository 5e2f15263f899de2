import CLibUSB

/// libusb, which can list devices and watch for changes without opening any device.
enum LibUSB {
    /// Runs the body with a libusb session. Returns `nil` if no session can be started, for example
    /// in a container without device nodes.
    static func withSession<Success>(_ body: (OpaquePointer) -> Success) -> Success? {
        var session: OpaquePointer?
        guard unsafe libusb_init(&session) == 0, let session = unsafe session else { return nil }
        defer { unsafe libusb_exit(session) }
        return unsafe body(session)
    }

    /// All devices, identified by their descriptors. The kernel stores the descriptors, so the
    /// devices themselves are not queried.
    static func devices() -> [USBIdentity]? {
        unsafe withSession { session -> [USBIdentity]? in
            var list: UnsafeMutablePointer<OpaquePointer?>?
            let count = unsafe libusb_get_device_list(session, &list)
            guard count >= 0, let list = unsafe list else { return nil }
            // The 1 also releases libusb's references to the devices.
            defer { unsafe libusb_free_device_list(list, 1) }
            return (0..<count).compactMap { index in
                unsafe list[index].flatMap { unsafe identity(of: $0) }
            }
        } ?? nil
    }

    private static func identity(of device: OpaquePointer) -> USBIdentity? {
        var descriptor = libusb_device_descriptor()
        guard unsafe libusb_get_device_descriptor(device, &descriptor) == 0 else { return nil }
        return unsafe USBIdentity(
            bus: Int(libusb_get_bus_number(device)),
            address: Int(libusb_get_device_address(device)),
            vendor: descriptor.idVendor, product: descriptor.idProduct,
            isHub: UInt32(descriptor.bDeviceClass) == LIBUSB_CLASS_HUB.rawValue)
    }
}
