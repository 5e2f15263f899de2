#ifndef TAPCARD_CMOSQUITTO_H
#define TAPCARD_CMOSQUITTO_H

#include "../binding.h"

#include <mosquitto.h>

/// The functions of libmosquitto that tapcard calls. The library is loaded at run time, because
/// only `tapcard watch --mqtt` needs it. The types come from its own header, so the compiler
/// detects a changed signature.
struct tapcard_mosquitto {
    __typeof__(mosquitto_lib_init) *lib_init;
    __typeof__(mosquitto_new) *new_client;
    __typeof__(mosquitto_destroy) *destroy;
    __typeof__(mosquitto_connect_callback_set) *connect_callback_set;
    __typeof__(mosquitto_publish_callback_set) *publish_callback_set;
    __typeof__(mosquitto_will_set) *will_set;
    __typeof__(mosquitto_username_pw_set) *username_pw_set;
    __typeof__(mosquitto_tls_set) *tls_set;
    __typeof__(mosquitto_connect_async) *connect_async;
    __typeof__(mosquitto_loop) *loop;
    __typeof__(mosquitto_publish) *publish;
    __typeof__(mosquitto_strerror) *strerror;
    __typeof__(mosquitto_connack_string) *connack_string;
};

/// Fills the table from a library opened with dlopen. Returns null, or the name of a missing
/// function.
static inline const char *tapcard_mosquitto_bind(
    void *library, struct tapcard_mosquitto *table) {
    TAPCARD_BIND(lib_init, "mosquitto_lib_init")
    TAPCARD_BIND(new_client, "mosquitto_new")
    TAPCARD_BIND(destroy, "mosquitto_destroy")
    TAPCARD_BIND(connect_callback_set, "mosquitto_connect_callback_set")
    TAPCARD_BIND(publish_callback_set, "mosquitto_publish_callback_set")
    TAPCARD_BIND(will_set, "mosquitto_will_set")
    TAPCARD_BIND(username_pw_set, "mosquitto_username_pw_set")
    TAPCARD_BIND(tls_set, "mosquitto_tls_set")
    TAPCARD_BIND(connect_async, "mosquitto_connect_async")
    TAPCARD_BIND(loop, "mosquitto_loop")
    TAPCARD_BIND(publish, "mosquitto_publish")
    TAPCARD_BIND(strerror, "mosquitto_strerror")
    TAPCARD_BIND(connack_string, "mosquitto_connack_string")
    return NULL;
}

#endif
