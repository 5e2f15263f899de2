#ifndef TAPCARD_COPENSSL_H
#define TAPCARD_COPENSSL_H

#include "../binding.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

/// The functions of libcrypto that tapcard calls. The library is loaded only for passwords and chip
/// makers' signatures. A tap with a known card needs neither.
struct tapcard_crypto {
    __typeof__(ERR_clear_error) *clear_errors;
    __typeof__(d2i_PUBKEY) *public_key;
    __typeof__(EVP_PKEY_free) *free_key;
    __typeof__(EVP_PKEY_CTX_new) *new_context;
    __typeof__(EVP_PKEY_CTX_free) *free_context;
    __typeof__(EVP_PKEY_verify_init) *begin_verification;
    __typeof__(EVP_PKEY_verify) *verify;
    __typeof__(EVP_PBE_scrypt) *scrypt;
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_crypto_bind(void *library, struct tapcard_crypto *table) {
    TAPCARD_BIND(clear_errors, "ERR_clear_error")
    TAPCARD_BIND(public_key, "d2i_PUBKEY")
    TAPCARD_BIND(free_key, "EVP_PKEY_free")
    TAPCARD_BIND(new_context, "EVP_PKEY_CTX_new")
    TAPCARD_BIND(free_context, "EVP_PKEY_CTX_free")
    TAPCARD_BIND(begin_verification, "EVP_PKEY_verify_init")
    TAPCARD_BIND(verify, "EVP_PKEY_verify")
    TAPCARD_BIND(scrypt, "EVP_PBE_scrypt")
    return NULL;
}

#endif
