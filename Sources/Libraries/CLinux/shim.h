// Functions of glibc that Swift cannot import, because they depend on feature macros or are
// variadic, and wrappers for related functions.
#ifndef TAPCARD_CLINUX_SHIM_H
#define TAPCARD_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <stddef.h>
#include <sys/types.h>
#include <stdint.h>
#include <netinet/in.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <termios.h>

// These functions are declared here instead of being enabled by feature macros. With the macros,
// types would differ from those in glibc's own module, and no file could import both modules.
extern int posix_openpt(int flags);
extern int grantpt(int descriptor);
extern int unlockpt(int descriptor);
extern int ptsname_r(int descriptor, char *name, size_t size);
extern void cfmakeraw(struct termios *settings);
extern int ioctl(int descriptor, unsigned long request, ...);
extern int memfd_create(const char *name, unsigned int flags);
extern int posix_spawn_file_actions_addclosefrom_np(
    posix_spawn_file_actions_t *actions, int from);
extern ssize_t write(int descriptor, const void *bytes, size_t count);
extern off_t lseek(int descriptor, off_t offset, int whence);
extern int close(int descriptor);

/// Creates an in-memory file with this content, positioned at its start. Returns -1 and sets errno
/// on failure.
static inline int linux_file_with(const void *bytes, size_t count) {
    int file = memfd_create("tapcard", 1 /* MFD_CLOEXEC */);
    if (file < 0) return -1;
    size_t written = 0;
    while (written < count) {
        ssize_t some = write(file, (const char *)bytes + written, count - written);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) break;
        written += (size_t)some;
    }
    if (written == count && lseek(file, 0, 0 /* SEEK_SET */) == 0) return file;
    close(file);
    return -1;
}

/// Whether a child process has ended, without reaping it. Also true if the process is not a child
/// of this one.
static inline _Bool linux_has_ended(pid_t process) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno != EINTR;
    return info.si_pid == process;
}

/// Closes this descriptor and all higher ones in the new process. Returns 0 or an error number.
static inline int linux_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

enum {
    linux_key_tab = KEY_TAB,
    linux_key_enter = KEY_ENTER,
    linux_key_left_shift = KEY_LEFTSHIFT,
    linux_key_space = KEY_SPACE,
};

/// Creates a keyboard through /dev/uinput that exists until the descriptor is closed. Returns -1
/// and sets errno on failure.
static inline int linux_make_keyboard(const char *name) {
    int device = open("/dev/uinput", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) return -1;
    struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}};
    strncpy(setup.name, name, sizeof setup.name - 1);
    int failure = ioctl(device, UI_SET_EVBIT, EV_KEY);
    // udev recognizes a keyboard only if it has all of these keys, even those that are never used.
    for (int key = KEY_ESC; key <= KEY_SPACE; key++)
        failure |= ioctl(device, UI_SET_KEYBIT, key);
    failure |= ioctl(device, UI_DEV_SETUP, &setup);
    failure |= ioctl(device, UI_DEV_CREATE);
    if (failure == 0) return device;
    int number = errno;
    close(device);
    errno = number;
    return -1;
}

/// A key being pressed or released.
struct linux_key {
    uint16_t code;
    uint16_t is_down;
};

enum { linux_keys_at_once = 4 };

/// Presses or releases up to `linux_keys_at_once` keys, in order. Returns -1 and sets errno on
/// failure.
static inline int linux_move_keys(int keyboard, const struct linux_key *keys, size_t count) {
    struct input_event events[2 * linux_keys_at_once];
    memset(events, 0, sizeof events);
    if (count > linux_keys_at_once) count = linux_keys_at_once;
    for (size_t index = 0; index < count; index++) {
        events[2 * index].type = EV_KEY;
        events[2 * index].code = keys[index].code;
        events[2 * index].value = keys[index].is_down;
        events[2 * index + 1].type = EV_SYN;
        events[2 * index + 1].code = SYN_REPORT;
    }
    size_t size = 2 * count * sizeof *events;
    ssize_t written;
    do written = write(keyboard, events, size);
    while (written < 0 && errno == EINTR);
    return written == (ssize_t)size ? 0 : -1;
}

/// Opens the master side of a new pseudoterminal. Returns -1 and sets errno on failure.
static inline int linux_openpt(void) { return posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC); }

/// Allows the other side of a pseudoterminal to be opened. Returns -1 and sets errno on failure.
static inline int linux_unlockpt(int master) {
    return grantpt(master) == 0 ? unlockpt(master) : -1;
}

/// Gets the path of the other side of a pseudoterminal. Returns 0 or an error number.
static inline int linux_ptsname(int master, char *name, size_t size) {
    return ptsname_r(master, name, size);
}

/// Makes a terminal pass bytes through unchanged, without echo. Returns -1 and sets errno on
/// failure.
static inline int linux_make_raw(int terminal) {
    struct termios settings;
    if (tcgetattr(terminal, &settings) != 0) return -1;
    cfmakeraw(&settings);
    return tcsetattr(terminal, TCSANOW, &settings);
}

/// Creates an event counter that can be waited for. Returns -1 and sets errno on failure.
static inline int linux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

enum {
    linux_readable = EPOLLIN,
    /// The peer has closed its side of the connection. This is reported once.
    linux_left = EPOLLRDHUP | EPOLLET,
};

/// An event on a descriptor, and the number that identifies the descriptor.
struct linux_event {
    uint32_t what;
    uint64_t number;
};

/// Creates a set of descriptors to wait for. Returns -1 and sets errno on failure.
static inline int linux_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Watches a descriptor, identified by a number. Returns -1 and sets errno on failure.
static inline int linux_watch(int epoll, int descriptor, uint32_t what, uint64_t number) {
    struct epoll_event event = {.events = what, .data.u64 = number};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

/// Stops watching a descriptor. Returns -1 and sets errno on failure.
static inline int linux_unwatch(int epoll, int descriptor) {
    struct epoll_event event = {.events = 0};
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
}

/// The number of connections waiting to be accepted by a listening socket; 0 if unknown.
static inline unsigned int linux_waiting_connections(int listening) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(listening, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
    // For a listening socket, the kernel puts the length of its accept queue here.
    return info.tcpi_unacked;
}

/// The number of bytes sent that the peer has not received yet. Returns -1 and sets errno on failure.
static inline int linux_unreceived(int connection) {
    int count = 0;
    return ioctl(connection, TIOCOUTQ, &count) == 0 ? count : -1;
}

enum { linux_events_at_once = 64 };

/// Waits for events, for at most this many milliseconds, or without limit if the number is
/// negative. Stores at most `linux_events_at_once` events and returns their number. On failure,
/// returns -1 and sets errno.
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
