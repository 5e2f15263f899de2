#define _GNU_SOURCE
#include <KillSwitch.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 1024, LONGEST_PATH = 512, LONGEST_LINE = 1200 };

// What an open descriptor leads to; an empty path where it is none of ours.
static char open_paths[MOST_DESCRIPTORS][LONGEST_PATH];
static atomic_int calls_so_far;

enum verdict { PASS, FAIL, SHORTEN, LOSE };

// One call that counts, from before it to after it.
struct call {
    int number;
    enum verdict verdict;
    int error;
    bool kills_afterwards;
};

static const struct call not_counted = {0, PASS, 0, false};

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

// In a folder, or a file and what SQLite keeps beside it.
static bool is_below(const char *path, const char *folder) {
    size_t length = folder == NULL ? 0 : strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0
        && (path[length] == '\0' || path[length] == '/' || path[length] == '-');
}

// "ledger" stands for every file that has to last; NULL for what is no business of ours.
static const char *kind_of(const char *path) {
    if (path[0] == '\0') return NULL;
    const char *reader = variable("KILL_SWITCH_READER");
    if (reader != NULL && strcmp(path, reader) == 0) return "reader";
    if (is_below(path, variable("KILL_SWITCH_DATABASE"))) return "database";
    return is_below(path, variable("KILL_SWITCH_FILES")) ? "ledger" : NULL;
}

static const char *path_of(int descriptor) {
    return descriptor >= 0 && descriptor < MOST_DESCRIPTORS ? open_paths[descriptor] : "";
}

static void remember(int descriptor, const char *path) {
    if (descriptor < 0 || descriptor >= MOST_DESCRIPTORS) return;
    bool is_ours = kind_of(path) != NULL && strlen(path) < LONGEST_PATH;
    snprintf(open_paths[descriptor], LONGEST_PATH, "%s", is_ours ? path : "");
}

static void note(int number, const char *kind, const char *call, const char *path,
                 const char *other) {
    const char *log = variable("KILL_SWITCH_LOG");
    if (log == NULL) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                            0600);
    if (file < 0) return;
    char line[LONGEST_LINE];
    int length = snprintf(line, sizeof line, "%d %s %s %s %s\n", number, kind, call, path, other);
    syscall(SYS_write, file, line, (size_t)length);
    syscall(SYS_close, file);
}

// Whether one of the words between commas is this one.
static bool names(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *place = list; (place = strstr(place, word)) != NULL; place += length) {
        bool begins = place == list || place[-1] == ',';
        if (begins && (place[length] == ',' || place[length] == '\0')) return true;
    }
    return false;
}

static bool is_counted(const char *kind, const char *call) {
    const char *list = variable("KILL_SWITCH_CALLS");
    return list == NULL || names(list, kind) || names(list, call);
}

// The first process that comes to the place claims it: one that is started anew goes on unharmed.
static bool is_first(void) {
    const char *once = variable("KILL_SWITCH_ONCE");
    if (once == NULL) return true;
    int file = (int)syscall(SYS_openat, AT_FDCWD, once, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                            0600);
    if (file >= 0) syscall(SYS_close, file);
    return file >= 0;
}

static _Noreturn void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// Counts a call and does what is due before it.
static struct call begin(const char *name, const char *path, const char *other) {
    const char *kind = kind_of(path);
    if (kind == NULL && other[0] != '\0') kind = kind_of(other);
    if (kind == NULL || !is_counted(kind, name)) return not_counted;
    struct call call = {atomic_fetch_add(&calls_so_far, 1) + 1, PASS, 0, false};
    const char *at = variable("KILL_SWITCH_AT");
    const char *what = variable("KILL_SWITCH_DO");
    int place = at == NULL ? 0 : atoi(at);
    note(call.number, kind, name, path, other);
    if (what == NULL || place == 0 || call.number < place) return call;
    if (strncmp(what, "fail-on ", 8) == 0) {
        call.verdict = FAIL;
        call.error = atoi(what + 8);
    }
    if (call.number != place || !is_first()) return call;
    if (strcmp(what, "kill-before") == 0) die();
    call.kills_afterwards = strcmp(what, "kill-after") == 0;
    if (strcmp(what, "short") == 0) call.verdict = SHORTEN;
    if (strcmp(what, "lose") == 0) call.verdict = LOSE;
    if (strncmp(what, "fail ", 5) == 0) {
        call.verdict = FAIL;
        call.error = atoi(what + 5);
    }
    return call;
}

static void end(struct call call) {
    if (call.kills_afterwards) die();
}

// Runs the real function of the C library under the same name, unless the verdict is another one.
// A call that is lost answers `good`, as if it had been carried out.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CARRY_OUT(result, call, good, expression)                                                 \
    do {                                                                                          \
        if ((call).verdict == FAIL) {                                                             \
            errno = (call).error;                                                                 \
            return -1;                                                                            \
        }                                                                                         \
        result = (call).verdict == LOSE ? (good) : (expression);                                  \
        end(call);                                                                                \
    } while (0)

static size_t taken(struct call call, size_t count) {
    return call.verdict == SHORTEN && count > 1 ? count / 2 : count;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (descriptor == STDOUT_FILENO) note(0, "told", "write", "-", "");
    struct call call = begin("write", path_of(descriptor), "");
    ssize_t result;
    CARRY_OUT(result, call, (ssize_t)count,
              REAL(write)(descriptor, bytes, taken(call, count)));
    return result;
}

// Of some calls the library has two, under names and with types of their own.
#define WRITE_AT(name, place_type)                                                                \
    ssize_t name(int descriptor, const void *bytes, size_t count, place_type place) {             \
        struct call call = begin("write", path_of(descriptor), "");                               \
        ssize_t result;                                                                           \
        CARRY_OUT(result, call, (ssize_t)count,                                                   \
                  REAL(name)(descriptor, bytes, taken(call, count), place));                      \
        return result;                                                                            \
    }

WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

#define SYNC(name)                                                                                \
    int name(int descriptor) {                                                                    \
        struct call call = begin("sync", path_of(descriptor), "");                                \
        int result;                                                                               \
        CARRY_OUT(result, call, 0, REAL(name)(descriptor));                                       \
        return result;                                                                            \
    }

SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name, size_type)                                                                 \
    int name(int descriptor, size_type size) {                                                    \
        struct call call = begin("truncate", path_of(descriptor), "");                            \
        int result;                                                                               \
        CARRY_OUT(result, call, 0, REAL(name)(descriptor, size));                                 \
        return result;                                                                            \
    }

TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int unlink(const char *path) {
    struct call call = begin("unlink", path, "");
    int result;
    CARRY_OUT(result, call, 0, REAL(unlink)(path));
    return result;
}

#define FROM_TO(name)                                                                             \
    int name(const char *from, const char *to) {                                                  \
        struct call call = begin(#name, from, to);                                                \
        int result;                                                                               \
        CARRY_OUT(result, call, 0, REAL(name)(from, to));                                         \
        return result;                                                                            \
    }

FROM_TO(rename)
FROM_TO(link)

int mkdir(const char *path, mode_t mode) {
    struct call call = begin("mkdir", path, "");
    int result;
    CARRY_OUT(result, call, 0, REAL(mkdir)(path, mode));
    return result;
}

// Only what makes a file counts as "create"; what may change one counts as "open".
static struct call begin_opening(const char *path, int flags) {
    struct stat status;
    if (flags & O_CREAT && stat(path, &status) != 0) return begin("create", path, "");
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    const char *list = variable("KILL_SWITCH_CALLS");
    bool is_wanted = list != NULL && names(list, "open");
    return writes && is_wanted ? begin("open", path, "") : not_counted;
}

#define OPEN(name)                                                                                \
    int name(const char *path, int flags, ...) {                                                  \
        mode_t mode = 0;                                                                          \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                    \
            va_list rest;                                                                         \
            va_start(rest, flags);                                                                \
            mode = va_arg(rest, mode_t);                                                          \
            va_end(rest);                                                                         \
        }                                                                                         \
        struct call call = begin_opening(path, flags);                                            \
        int result;                                                                               \
        CARRY_OUT(result, call, -1, REAL(name)(path, flags, mode));                               \
        remember(result, path);                                                                   \
        return result;                                                                            \
    }

OPEN(open)
OPEN(open64)

int mkstemp(char *template) {
    struct call call = begin("create", template, "");
    int result;
    CARRY_OUT(result, call, -1, REAL(mkstemp)(template));
    remember(result, template);
    return result;
}

// A link to a database is known by the socket that it leads to.
int connect(int descriptor, __CONST_SOCKADDR_ARG address, socklen_t length) {
    const struct sockaddr_un *place = address.__sockaddr_un__;
    if (place->sun_family == AF_UNIX) remember(descriptor, place->sun_path);
    return REAL(connect)(descriptor, address, length);
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    struct call call = begin("send", path_of(descriptor), "");
    ssize_t result;
    CARRY_OUT(result, call, (ssize_t)count,
              REAL(send)(descriptor, bytes, taken(call, count), flags));
    return result;
}

// libnfc stops waiting for a reader after 350 ms. A test on a busy machine can need longer.
int select(int count, fd_set *reading, fd_set *writing, fd_set *failing, struct timeval *limit) {
    const char *seconds = variable("KILL_SWITCH_PATIENCE");
    struct timeval longer = {seconds == NULL ? 0 : atoi(seconds), 0};
    bool is_longer = limit != NULL && timercmp(limit, &longer, <);
    return REAL(select)(count, reading, writing, failing, is_longer ? &longer : limit);
}

int close(int descriptor) {
    remember(descriptor, "");
    int result = REAL(close)(descriptor);
    // Another thread may have been given the number in the meantime: then its file is closed.
    if (result < 0 && errno == EBADF && descriptor >= 0) note(0, "stray", "close", "-", "");
    return result;
}
