#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// The C++ runtime inside the program asks glibc for this function, which it has since 2.36. With one
// of its own the program starts on glibc 2.35, as in Ubuntu 22.04. It is the same: random bytes of
// the kernel.
uint32_t arc4random(void) {
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}
