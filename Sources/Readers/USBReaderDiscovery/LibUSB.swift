import CLibUSB

/// libusb, used for what it is sure of without opening anything: which devices there are.
enum LibUSB {
    /// A session of libusb for as long as the body takes; nil where there can be none, as in a
    /// container without the device nodes.
    static func withSession<Success>(_ body: (OpaquePointer) -> Success) -> Success? {
        var session: OpaquePointer?
        guard unsafe libusb_init(&session) == 0, let session = unsafe session else { return nil }
        defer { unsafe libusb_exit(session) }
        return unsafe body(session)
    }

    /// Every device by its descriptor, which the kernel keeps: the device itself is not asked.
    static func devices() -> [USBIdentity]? {
        unsafe withSession { session -> [USBIdentity]? in
            var list: UnsafeMutablePointer<OpaquePointer?>?
            let count = unsafe libusb_get_device_list(session, &list)
            guard count >= 0, let list = unsafe list else { return nil }
            defer { unsafe libusb_free_device_list(list, 1) }
            return (0..<count).compactMap { place in
                unsafe list[place].flatMap { unsafe identity(of: $0) }
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
