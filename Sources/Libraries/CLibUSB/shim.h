#ifndef TAPCARD_CLIBUSB_H
#define TAPCARD_CLIBUSB_H

#include <libusb-1.0/libusb.h>

/// Whether this platform reports devices that come and go.
static inline int tapcard_libusb_has_hotplug(void) {
    return libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG) != 0;
}

/// Subscribes to devices that come or go, not to those already present. The events are an
/// enumeration that Swift sees as another type than the parameter's.
static inline int tapcard_libusb_watch(
    libusb_context *context, libusb_hotplug_callback_fn callback, void *user_data,
    libusb_hotplug_callback_handle *handle) {
    return libusb_hotplug_register_callback(
        context, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT,
        LIBUSB_HOTPLUG_NO_FLAGS, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
        LIBUSB_HOTPLUG_MATCH_ANY, callback, user_data, handle);
}

#endif
