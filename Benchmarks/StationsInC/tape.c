// The yardstick for PostgreSQLLedger: the same statements, sent by a client of libpq that does nothing
// else.

#include "StationsInC.h"

#include <arpa/inet.h>
#include <postgresql/libpq-fe.h>
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

int tapcard_socket(const char *path, bool listening) {
    int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (number < 0 || strlen(path) >= sizeof place.sun_path) return -1;
    strcpy(place.sun_path, path);
    struct sockaddr *address = (struct sockaddr *)&place;
    int result = listening ? bind(number, address, sizeof place) | listen(number, 8)
                           : connect(number, address, sizeof place);
    if (result == 0) return number;
    close(number);
    return -1;
}

bool tapcard_send_all(int to, const unsigned char *bytes, size_t count) {
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
    int far = tapcard_socket(tape->target, false);
    struct pollfd both[2] = {{near, POLLIN, 0}, {far, POLLIN, 0}};
    unsigned char buffer[65536];
    size_t parsed = 0;
    while (near >= 0 && far >= 0 && poll(both, 2, -1) > 0) {
        bool from_client = both[0].revents != 0;
        ssize_t count = recv(from_client ? near : far, buffer, sizeof buffer, 0);
        if (count <= 0 || !tapcard_send_all(from_client ? far : near, buffer, (size_t)count)) break;
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
    tape->listener = tapcard_socket(path, true);
    if (tape->listener < 0 || pthread_create(&tape->thread, NULL, pass, tape) != 0) return NULL;
    return tape;
}

void tapcard_tape_end(struct tapcard_tape *tape) {
    pthread_join(tape->thread, NULL);
    close(tape->listener);
}

int tapcard_tape_batches(const struct tapcard_tape *tape) { return tape->batches; }

// The parts of a message, each after the other.
static uint16_t short_at(const unsigned char **at) {
    uint16_t number;
    memcpy(&number, *at, 2);
    *at += 2;
    return ntohs(number);
}

static int32_t long_at(const unsigned char **at) {
    uint32_t number;
    memcpy(&number, *at, 4);
    *at += 4;
    return (int32_t)ntohl(number);
}

static const char *text_at(const unsigned char **at) {
    const char *text = (const char *)*at;
    *at += strlen(text) + 1;
    return text;
}

enum { MOST_VALUES = 64 };

// Sends what a Bind message says: with the text of an unnamed statement, or by its name.
static int send_bind(PGconn *connection, const unsigned char *at, const char *unnamed) {
    text_at(&at);
    const char *name = text_at(&at);
    for (int formats = short_at(&at); formats > 0; formats--) short_at(&at);
    int count = short_at(&at);
    const char *values[MOST_VALUES];
    char copies[1 << 14], *free_room = copies;
    for (int place = 0; place < count && place < MOST_VALUES; place++) {
        int32_t length = long_at(&at);
        values[place] = NULL;
        if (length < 0) continue;
        if (free_room + length >= copies + sizeof copies) return 0;
        values[place] = memcpy(free_room, at, (size_t)length);
        free_room[length] = 0;
        free_room += length + 1;
        at += length;
    }
    if (name[0] != 0) return PQsendQueryPrepared(connection, name, count, values, NULL, NULL, 0);
    return PQsendQueryParams(connection, unnamed, count, NULL, values, NULL, NULL, 0);
}

// Sends the statements of a batch again. The greeting has none.
static bool send_batch(PGconn *connection, const unsigned char *at, const unsigned char *end) {
    const char *unnamed = "";
    while (at + 5 <= end) {
        unsigned char kind = *at;
        const unsigned char *body = at + 1;
        int32_t length = long_at(&body);
        at += 1 + length;
        if (kind == 'P') {
            const char *name = text_at(&body), *sql = text_at(&body);
            if (name[0] == 0) {
                unnamed = sql;
            } else if (!PQsendPrepare(connection, name, sql, 0, NULL)) {
                return false;
            }
        } else if (kind == 'B' && !send_bind(connection, body, unnamed)) {
            return false;
        }
    }
    return PQpipelineSync(connection) == 1;
}

// Reads until the server is ready for the next batch; false if it has refused something.
static bool is_answered(PGconn *connection) {
    bool refused = false, ready = false;
    while (!ready) {
        PGresult *result = PQgetResult(connection);
        if (result == NULL) {
            if (PQstatus(connection) != CONNECTION_OK) return false;
            continue;
        }
        ExecStatusType status = PQresultStatus(result);
        ready = status == PGRES_PIPELINE_SYNC;
        if (!ready && status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) refused = true;
        PQclear(result);
    }
    return !refused;
}

double tapcard_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int tapcard_tape_replay(const struct tapcard_tape *tape, const char *address, double *milliseconds) {
    PGconn *connection = PQconnectdb(address);
    int failures = PQstatus(connection) == CONNECTION_OK && PQenterPipelineMode(connection) ? 0 : 1;
    for (int batch = 0; batch < tape->batches && failures == 0; batch++) {
        milliseconds[batch] = 0;
        size_t start = batch == 0 ? 0 : tape->ends[batch - 1];
        // The first one is the greeting, which libpq has sent by itself.
        if (batch == 0) continue;
        double before = tapcard_now();
        bool sent = send_batch(connection, tape->bytes + start, tape->bytes + tape->ends[batch]);
        if (!sent || !is_answered(connection)) failures++;
        milliseconds[batch] = tapcard_now() - before;
    }
    PQfinish(connection);
    return failures;
}

void tapcard_tape_free(struct tapcard_tape *tape) {
    free(tape->bytes);
    free(tape->ends);
    free(tape);
}
