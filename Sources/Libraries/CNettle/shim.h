#ifndef TAPCARD_CNETTLE_H
#define TAPCARD_CNETTLE_H

#include "../binding.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

/// The functions of nettle that tapcard calls; loaded at the first of them, as many commands need
/// none.
struct tapcard_nettle {
    __typeof__(nettle_sha256_init) *digest_init;
    __typeof__(nettle_sha256_update) *digest_update;
    __typeof__(nettle_sha256_digest) *digest_end;
    __typeof__(nettle_hmac_sha256_set_key) *code_begin;
    __typeof__(nettle_hmac_sha256_update) *code_update;
    __typeof__(nettle_hmac_sha256_digest) *code_end;
    __typeof__(nettle_memeql_sec) *equal;
};

/// Fills the table from a library that dlopen gave: the name of a function that is not there,
/// or null.
static inline const char *tapcard_nettle_bind(void *library, struct tapcard_nettle *table) {
    TAPCARD_BIND(digest_init, "nettle_sha256_init")
    TAPCARD_BIND(digest_update, "nettle_sha256_update")
    TAPCARD_BIND(digest_end, "nettle_sha256_digest")
    TAPCARD_BIND(code_begin, "nettle_hmac_sha256_set_key")
    TAPCARD_BIND(code_update, "nettle_hmac_sha256_update")
    TAPCARD_BIND(code_end, "nettle_hmac_sha256_digest")
    TAPCARD_BIND(equal, "nettle_memeql_sec")
    return NULL;
}

#endif
