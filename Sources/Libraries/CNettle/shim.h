#ifndef TAPCARD_CNETTLE_H
#define TAPCARD_CNETTLE_H

#include "../binding.h"

#include <string.h>

#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/cmac.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

/// The functions of nettle that tapcard calls. The library is loaded when the first of them is
/// needed, because many commands need none.
struct tapcard_nettle {
    __typeof__(nettle_sha256_init) *digest_init;
    __typeof__(nettle_sha256_update) *digest_update;
    __typeof__(nettle_sha256_digest) *digest_end;
    __typeof__(nettle_hmac_sha256_set_key) *code_begin;
    __typeof__(nettle_hmac_sha256_update) *code_update;
    __typeof__(nettle_hmac_sha256_digest) *code_end;
    __typeof__(nettle_memeql_sec) *equal;
    __typeof__(nettle_aes128_set_encrypt_key) *aes_key;
    __typeof__(nettle_aes128_set_decrypt_key) *aes_inverse_key;
    __typeof__(nettle_aes128_encrypt) *aes_encrypt;
    __typeof__(nettle_aes128_decrypt) *aes_decrypt;
    __typeof__(nettle_cbc_encrypt) *cbc_encrypt;
    __typeof__(nettle_cbc_decrypt) *cbc_decrypt;
    __typeof__(nettle_cmac_aes128_set_key) *cmac_begin;
    __typeof__(nettle_cmac_aes128_update) *cmac_update;
    __typeof__(nettle_cmac_aes128_digest) *cmac_end;
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_nettle_bind(void *library, struct tapcard_nettle *table) {
    TAPCARD_BIND(digest_init, "nettle_sha256_init")
    TAPCARD_BIND(digest_update, "nettle_sha256_update")
    TAPCARD_BIND(digest_end, "nettle_sha256_digest")
    TAPCARD_BIND(code_begin, "nettle_hmac_sha256_set_key")
    TAPCARD_BIND(code_update, "nettle_hmac_sha256_update")
    TAPCARD_BIND(code_end, "nettle_hmac_sha256_digest")
    TAPCARD_BIND(equal, "nettle_memeql_sec")
    TAPCARD_BIND(aes_key, "nettle_aes128_set_encrypt_key")
    TAPCARD_BIND(aes_inverse_key, "nettle_aes128_set_decrypt_key")
    TAPCARD_BIND(aes_encrypt, "nettle_aes128_encrypt")
    TAPCARD_BIND(aes_decrypt, "nettle_aes128_decrypt")
    TAPCARD_BIND(cbc_encrypt, "nettle_cbc_encrypt")
    TAPCARD_BIND(cbc_decrypt, "nettle_cbc_decrypt")
    TAPCARD_BIND(cmac_begin, "nettle_cmac_aes128_set_key")
    TAPCARD_BIND(cmac_update, "nettle_cmac_aes128_update")
    TAPCARD_BIND(cmac_end, "nettle_cmac_aes128_digest")
    return NULL;
}

/// Overwrites bytes with zeros. The compiler does not optimize this away, even if the bytes are
/// never read again.
static inline void tapcard_wipe(void *bytes, size_t count) {
    explicit_bzero(bytes, count);
}

// Each of these functions keeps the expanded key only on its stack, and wipes it before returning.

static inline void tapcard_cbc_encrypt(
    const struct tapcard_nettle *nettle, const uint8_t *key, uint8_t *vector, size_t count,
    uint8_t *output, const uint8_t *input) {
    struct aes128_ctx state;
    nettle->aes_key(&state, key);
    nettle->cbc_encrypt(
        &state, (nettle_cipher_func *)nettle->aes_encrypt, AES_BLOCK_SIZE, vector, count, output,
        input);
    tapcard_wipe(&state, sizeof state);
}

static inline void tapcard_cbc_decrypt(
    const struct tapcard_nettle *nettle, const uint8_t *key, uint8_t *vector, size_t count,
    uint8_t *output, const uint8_t *input) {
    struct aes128_ctx state;
    nettle->aes_inverse_key(&state, key);
    nettle->cbc_decrypt(
        &state, (nettle_cipher_func *)nettle->aes_decrypt, AES_BLOCK_SIZE, vector, count, output,
        input);
    tapcard_wipe(&state, sizeof state);
}

static inline void tapcard_cmac(
    const struct tapcard_nettle *nettle, const uint8_t *key, size_t count, const uint8_t *message,
    uint8_t *code) {
    struct cmac_aes128_ctx state;
    nettle->cmac_begin(&state, key);
    nettle->cmac_update(&state, count, message);
    nettle->cmac_end(&state, CMAC128_DIGEST_SIZE, code);
    tapcard_wipe(&state, sizeof state);
}

#endif
