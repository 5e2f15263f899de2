#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// The C++ runtime in the program needs this function, which glibc has only since version 2.36. This
// replacement lets the program start with glibc 2.35, as on Ubuntu 22.04. It also returns random
// bytes from the kernel.
uint32_t arc4random(void) {
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}
