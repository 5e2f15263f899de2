#ifndef TAPCARD_BINDING_H
#define TAPCARD_BINDING_H

#include <dlfcn.h>
#include <stddef.h>

/// For a function that fills a `table` with the functions of a `library` that dlopen gave: finds
/// one of them, or returns the name of the one that is not there.
#define TAPCARD_BIND(member, name) \
    table->member = (__typeof__(table->member))dlsym(library, name); \
    if (table->member == NULL) return name;

#endif
