// What Debian's Swift asks for, because it was built with glibc 2.42, and glibc 2.36 of Debian 12 does
// not have. The names with a number differ from those without it in that they take binary numbers.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) {
    return strtoll(text, end, base);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
    return strtoul(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
    return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *form, ...) {
    va_list values;
    va_start(values, form);
    int count = vsscanf(text, form, values);
    va_end(values);
    return count;
}

size_t strlcpy(char *to, const char *from, size_t size) {
    size_t length = strlen(from);
    if (size > 0) {
        size_t count = length < size ? length : size - 1;
        memcpy(to, from, count);
        to[count] = '\0';
    }
    return length;
}

size_t strlcat(char *to, const char *from, size_t size) {
    size_t before = strnlen(to, size);
    return before + strlcpy(to + before, from, size - before);
}
