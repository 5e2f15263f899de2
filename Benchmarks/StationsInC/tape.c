// The yardstick for PostgreSQLLedger: the same statements, sent by a client that does nothing else.

#include "StationsInC.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct tapcard_tape {
    int listener;
    pthread_t thread;
    char target[108];
    unsigned char *bytes;
    size_t count, room;
    size_t *ends;
    int batches, most_batches;
};

static int socket_at(const char *path, bool listening) {
    int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (number < 0 || strlen(path) >= sizeof place.sun_path) return -1;
    strcpy(place.sun_path, path);
    struct sockaddr *address = (struct sockaddr *)&place;
    int result = listening ? bind(number, address, sizeof place) | listen(number, 1)
                           : connect(number, address, sizeof place);
    if (result == 0) return number;
    close(number);
    return -1;
}

static bool send_all(int to, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(to, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

// Notes where messages end after which the client waits: its greeting, and each Sync.
static void cut(struct tapcard_tape *tape, size_t *parsed) {
    while (true) {
        bool greets = *parsed == 0;
        size_t head = greets ? 4 : 5;
        if (tape->count < *parsed + head) return;
        uint32_t length;
        memcpy(&length, tape->bytes + *parsed + head - 4, 4);
        size_t end = *parsed + head - 4 + ntohl(length);
        if (tape->count < end) return;
        bool waits = greets || tape->bytes[*parsed] == 'S';
        *parsed = end;
        if (!waits) continue;
        if (tape->batches == tape->most_batches) {
            tape->most_batches = 2 * tape->most_batches + 64;
            tape->ends = realloc(tape->ends, (size_t)tape->most_batches * sizeof *tape->ends);
        }
        tape->ends[tape->batches++] = end;
    }
}

static void *pass(void *context) {
    struct tapcard_tape *tape = context;
    int near = accept(tape->listener, NULL, NULL);
    int far = socket_at(tape->target, false);
    struct pollfd both[2] = {{near, POLLIN, 0}, {far, POLLIN, 0}};
    unsigned char buffer[65536];
    size_t parsed = 0;
    while (near >= 0 && far >= 0 && poll(both, 2, -1) > 0) {
        bool from_client = both[0].revents != 0;
        ssize_t count = recv(from_client ? near : far, buffer, sizeof buffer, 0);
        if (count <= 0 || !send_all(from_client ? far : near, buffer, (size_t)count)) break;
        if (!from_client) continue;
        while (tape->room < tape->count + (size_t)count) {
            tape->room = 2 * tape->room + sizeof buffer;
            tape->bytes = realloc(tape->bytes, tape->room);
        }
        memcpy(tape->bytes + tape->count, buffer, (size_t)count);
        tape->count += (size_t)count;
        cut(tape, &parsed);
    }
    close(near);
    close(far);
    return NULL;
}

struct tapcard_tape *tapcard_tape_record(const char *path, const char *target) {
    struct tapcard_tape *tape = calloc(1, sizeof *tape);
    if (tape == NULL || strlen(target) >= sizeof tape->target) return NULL;
    strcpy(tape->target, target);
    tape->listener = socket_at(path, true);
    if (tape->listener < 0 || pthread_create(&tape->thread, NULL, pass, tape) != 0) return NULL;
    return tape;
}

void tapcard_tape_end(struct tapcard_tape *tape) {
    pthread_join(tape->thread, NULL);
    close(tape->listener);
}

int tapcard_tape_batches(const struct tapcard_tape *tape) { return tape->batches; }

// Reads until the server is ready for the next batch; false if it has refused something.
static bool is_answered(int from) {
    static const size_t head = 5;
    unsigned char buffer[65536];
    size_t count = 0;
    bool refused = false;
    while (true) {
        ssize_t read = recv(from, buffer + count, sizeof buffer - count, 0);
        if (read <= 0) return false;
        count += (size_t)read;
        size_t at = 0;
        while (count - at >= head) {
            uint32_t length;
            memcpy(&length, buffer + at + 1, 4);
            size_t end = at + 1 + ntohl(length);
            if (end > count) break;
            if (buffer[at] == 'E') refused = true;
            if (buffer[at] == 'Z') return !refused;
            at = end;
        }
        memmove(buffer, buffer + at, count - at);
        count -= at;
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int tapcard_tape_replay(const struct tapcard_tape *tape, const char *target, double *milliseconds) {
    int server = socket_at(target, false);
    if (server < 0) return -1;
    size_t start = 0;
    int failures = 0;
    for (int batch = 0; batch < tape->batches; batch++) {
        double before = now();
        bool sent = send_all(server, tape->bytes + start, tape->ends[batch] - start);
        if (!sent || !is_answered(server)) failures++;
        milliseconds[batch] = now() - before;
        start = tape->ends[batch];
    }
    close(server);
    return failures;
}

void tapcard_tape_free(struct tapcard_tape *tape) {
    free(tape->bytes);
    free(tape->ends);
    free(tape);
}
