/// The files of the till page, as a part of the program.
#pragma once

#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} counter_page_entry;

extern const size_t counter_page_count;

/// The file with this number, below `counter_page_count`.
counter_page_entry counter_page_file(size_t index);
