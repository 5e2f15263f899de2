#ifndef TAPCARD_CMOSQUITTO_H
#define TAPCARD_CMOSQUITTO_H

#include "../binding.h"

#include <mosquitto.h>

/// The functions of libmosquitto that tapcard calls. The library is loaded at run time instead of
/// being linked: only `tapcard watch --mqtt` needs it. The types come from its own header, so a
/// changed signature is a compile-time error.
struct tapcard_mosquitto {
    __typeof__(mosquitto_lib_init) *lib_init;
    __typeof__(mosquitto_new) *new_client;
    __typeof__(mosquitto_destroy) *destroy;
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_mosquitto_bind(
    void *library, struct tapcard_mosquitto *table) {
    TAPCARD_BIND(lib_init, "mosquitto_lib_init")
    TAPCARD_BIND(new_client, "mosquitto_new")
    TAPCARD_BIND(destroy, "mosquitto_destroy")
    return 0;
}

#endif
