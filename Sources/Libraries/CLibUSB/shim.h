#ifndef TAPCARD_CLIBUSB_H
#define TAPCARD_CLIBUSB_H

#include <libusb-1.0/libusb.h>

/// Whether this platform reports devices as they are plugged in and unplugged.
static inline int tapcard_libusb_has_hotplug(void) {
    return libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG) != 0;
}

/// Subscribes to devices being plugged in or unplugged, not to devices already present. Swift
/// imports the events as an enumeration, whose type differs from that of the parameter.
static inline int tapcard_libusb_watch(
    libusb_context *context, libusb_hotplug_callback_fn callback, void *user_data,
    libusb_hotplug_callback_handle *handle) {
    return libusb_hotplug_register_callback(
        context, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT,
        LIBUSB_HOTPLUG_NO_FLAGS, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
        LIBUSB_HOTPLUG_MATCH_ANY, callback, user_data, handle);
}

#endif
