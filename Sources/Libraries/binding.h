#ifndef TAPCARD_BINDING_H
#define TAPCARD_BINDING_H

#include <dlfcn.h>
#include <stddef.h>

/// For a function that fills a `table` with the functions of a `library` opened with dlopen: finds
/// one of them, or returns the name of the missing one.
#define TAPCARD_BIND(member, name) \
    table->member = (__typeof__(table->member))dlsym(library, name); \
    if (table->member == NULL) return name;

#endif
