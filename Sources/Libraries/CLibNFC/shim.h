#ifndef TAPCARD_CLIBNFC_H
#define TAPCARD_CLIBNFC_H

#include "../binding.h"

#include <nfc/nfc.h>

/// The functions of libnfc that tapcard calls. The library is loaded at run time instead of being
/// linked, so that tapcard can start without it and report that it is missing. The types come from
/// libnfc's own header, so a changed signature is a compile-time error.
struct tapcard_libnfc {
    __typeof__(nfc_version) *version;
    __typeof__(nfc_init) *init;
    __typeof__(nfc_open) *open;
    __typeof__(nfc_close) *close;
    __typeof__(nfc_abort_command) *abort_command;
    __typeof__(nfc_list_devices) *list_devices;
    __typeof__(nfc_initiator_init) *initiator_init;
    __typeof__(nfc_device_set_property_bool) *set_property_bool;
    __typeof__(nfc_device_get_name) *get_name;
    __typeof__(nfc_device_get_information_about) *get_information_about;
    __typeof__(nfc_free) *free;
    /// This function is exported for libnfc's own tools (pn53x-diagnose, pn53x-tamashell), but no
    /// header declares it.
    int (*pn53x_transceive)(
        nfc_device *device, const uint8_t *command, size_t command_length, uint8_t *response,
        size_t response_size, int timeout);
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_libnfc_bind(void *library, struct tapcard_libnfc *table) {
    TAPCARD_BIND(version, "nfc_version")
    TAPCARD_BIND(init, "nfc_init")
    TAPCARD_BIND(open, "nfc_open")
    TAPCARD_BIND(close, "nfc_close")
    TAPCARD_BIND(abort_command, "nfc_abort_command")
    TAPCARD_BIND(list_devices, "nfc_list_devices")
    TAPCARD_BIND(initiator_init, "nfc_initiator_init")
    TAPCARD_BIND(set_property_bool, "nfc_device_set_property_bool")
    TAPCARD_BIND(get_name, "nfc_device_get_name")
    TAPCARD_BIND(get_information_about, "nfc_device_get_information_about")
    TAPCARD_BIND(free, "nfc_free")
    TAPCARD_BIND(pn53x_transceive, "pn53x_transceive")
    return NULL;
}

enum { tapcard_libnfc_connstring_size = NFC_BUFSIZE_CONNSTRING };

/// Lists devices as connection strings, one after another in a single buffer. libnfc's type for
/// them is an array of 1024 characters, which Swift would import as a tuple of 1024 elements.
static inline size_t tapcard_libnfc_list(
    const struct tapcard_libnfc *table, nfc_context *context, char *strings, size_t count) {
    return table->list_devices(context, (nfc_connstring *)strings, count);
}

#endif
