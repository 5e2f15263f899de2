#ifndef TAPCARD_CZLIB_H
#define TAPCARD_CZLIB_H

#include "../binding.h"

#include <zlib.h>

/// The functions of zlib that tapcard calls. The library is loaded when the first page is served,
/// because no tap needs it.
struct tapcard_zlib {
    __typeof__(compressBound) *compress_bound;
    __typeof__(compress2) *compress;
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_zlib_bind(void *library, struct tapcard_zlib *table) {
    TAPCARD_BIND(compress_bound, "compressBound")
    TAPCARD_BIND(compress, "compress2")
    return NULL;
}

static const int tapcard_zlib_ok = Z_OK;
static const int tapcard_zlib_best = Z_BEST_COMPRESSION;

#endif
