// What glibc hides behind feature macros or variadic functions, and Swift therefore cannot see.
#ifndef TAPCARD_CLINUX_SHIM_H
#define TAPCARD_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>
#include <stdint.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <termios.h>

// Declared here, not by feature macros: with those, types would differ from those of the same
// headers in glibc's own module, and no file could import both.
extern int posix_openpt(int flags);
extern int grantpt(int descriptor);
extern int unlockpt(int descriptor);
extern int ptsname_r(int descriptor, char *name, size_t size);
extern void cfmakeraw(struct termios *settings);

/// The master of a new pseudo-terminal; -1 and errno on failure.
static inline int linux_openpt(void) { return posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC); }

/// Makes the other side of a master ready to open; -1 and errno on failure.
static inline int linux_unlockpt(int master) {
    return grantpt(master) == 0 ? unlockpt(master) : -1;
}

/// The name of the other side of a master; returns 0 or an error number.
static inline int linux_ptsname(int master, char *name, size_t size) {
    return ptsname_r(master, name, size);
}

/// Makes bytes pass through a terminal unchanged, without echo; -1 and errno on failure.
static inline int linux_make_raw(int terminal) {
    struct termios settings;
    if (tcgetattr(terminal, &settings) != 0) return -1;
    cfmakeraw(&settings);
    return tcsetattr(terminal, TCSANOW, &settings);
}

/// A counter to wait for; -1 and errno on failure.
static inline int linux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

enum {
    linux_readable = EPOLLIN,
    /// The other side of a connection sends no more. Reported once.
    linux_left = EPOLLRDHUP | EPOLLET,
};

/// An event of a descriptor, with the number under which it is watched.
struct linux_event {
    uint32_t what;
    uint64_t number;
};

/// A set of descriptors to wait for; -1 and errno on failure.
static inline int linux_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Watches a descriptor under a number; -1 and errno on failure.
static inline int linux_watch(int epoll, int descriptor, uint32_t what, uint64_t number) {
    struct epoll_event event = {.events = what, .data.u64 = number};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

/// Stops watching a descriptor; -1 and errno on failure.
static inline int linux_unwatch(int epoll, int descriptor) {
    struct epoll_event event = {.events = 0};
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
}

/// The number of connections that wait at a listening socket; 0 if unknown.
static inline unsigned int linux_waiting_connections(int listening) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(listening, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
    // For a listening socket, the kernel puts the length of its accept queue here.
    return info.tcpi_unacked;
}

enum { linux_events_at_once = 64 };

/// Waits for at most this many milliseconds, forever if negative, and fills in at most
/// `linux_events_at_once` events. Returns their number, or -1 and errno.
static inline int linux_wait(int epoll, struct linux_event *events, int milliseconds) {
    struct epoll_event seen[linux_events_at_once];
    int count = epoll_wait(epoll, seen, linux_events_at_once, milliseconds);
    for (int index = 0; index < count; index++) {
        events[index].what = seen[index].events;
        events[index].number = seen[index].data.u64;
    }
    return count;
}

#endif
