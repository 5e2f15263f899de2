#ifndef TAPCARD_CLIBNFC_H
#define TAPCARD_CLIBNFC_H

#include "../binding.h"

#include <nfc/nfc.h>

/// The functions of libnfc that tapcard calls. The library is loaded at run time, not linked:
/// without it tapcard still has to start and report it as missing. The types come from libnfc's own
/// header, so a signature that changes does not compile.
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
    /// Exported for libnfc's own tools (pn53x-diagnose, pn53x-tamashell), in no header.
    int (*pn53x_transceive)(
        nfc_device *device, const uint8_t *command, size_t command_length, uint8_t *answer,
        size_t answer_room, int timeout);
};

/// Fills the table from a library opened with dlopen. Returns the name of a missing function, or
/// null.
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

/// A connection string is an array of 1024 characters, which Swift would see as a tuple of 1024
/// elements. Here the strings lie one after another in one buffer.
static inline size_t tapcard_libnfc_list(
    const struct tapcard_libnfc *table, nfc_context *context, char *strings, size_t count) {
    return table->list_devices(context, (nfc_connstring *)strings, count);
}

#endif
