/// The files of the till page, embedded in the program.
#pragma once

#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} till_page_entry;

extern const size_t till_page_count;

/// The file with this index, which must be less than `till_page_count`.
till_page_entry till_page_file(size_t index);
