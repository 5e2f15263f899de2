#ifndef TAPCARD_BINDING_H
#define TAPCARD_BINDING_H

#include <dlfcn.h>
#include <stddef.h>

/// Looks up one function of a `library` opened with dlopen and stores it in a `table`. If the
/// function is missing, returns its name from the enclosing function.
#define TAPCARD_BIND(member, name) \
    table->member = (__typeof__(table->member))dlsym(library, name); \
    if (table->member == NULL) return name;

#endif
