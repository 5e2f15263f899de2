// What glibc hides behind feature macros or variadic functions, and Swift therefore cannot see.
#ifndef TAPCARD_CLINUX_SHIM_H
#define TAPCARD_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

// Declared here, not by feature macros: with those, types would differ from those of the same
// headers in glibc's own module, and no file could import both.
extern int posix_openpt(int flags);
extern int grantpt(int descriptor);
extern int unlockpt(int descriptor);
extern int ptsname_r(int descriptor, char *name, size_t size);
extern void cfmakeraw(struct termios *settings);

/// The master's side of a new pseudo-terminal; -1 and errno where there is none.
static inline int linux_openpt(void) { return posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC); }

/// Lets the other side of a master be opened; -1 and errno on failure.
static inline int linux_unlockpt(int master) {
    return grantpt(master) == 0 ? unlockpt(master) : -1;
}

/// The name of the other side of a master; 0 or the number of an error.
static inline int linux_ptsname(int master, char *name, size_t size) {
    return ptsname_r(master, name, size);
}

/// Bytes go through a terminal as they are, without echo; -1 and errno on failure.
static inline int linux_make_raw(int terminal) {
    struct termios settings;
    if (tcgetattr(terminal, &settings) != 0) return -1;
    cfmakeraw(&settings);
    return tcsetattr(terminal, TCSANOW, &settings);
}

/// Bytes come from a terminal one by one, unseen and as they are. The keys that send a signal
/// still do, and what is written is treated as before; -1 and errno on failure.
static inline int linux_make_keywise(int terminal) {
    struct termios settings;
    if (tcgetattr(terminal, &settings) != 0) return -1;
    settings.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
    settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return tcsetattr(terminal, TCSANOW, &settings);
}

extern int pipe2(int ends[2], int flags);
extern ssize_t read(int descriptor, void *bytes, size_t count);

/// A pipe whose ends never block and that no child inherits; -1 and errno on failure.
static inline int linux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

/// Throws away what lies in a pipe that does not block.
static inline void linux_drain(int pipe) {
    char bytes[256];
    while (read(pipe, bytes, sizeof bytes) > 0) {
    }
}

#endif
