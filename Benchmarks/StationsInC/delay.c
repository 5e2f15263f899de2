// A link between two machines, played on one: every byte arrives later.

#define _GNU_SOURCE

#include "StationsInC.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct link {
    int listener;
    char target[108];
    double delay;
};

/// One direction of a connection.
struct direction {
    int from, to;
    double delay;
};

struct piece {
    struct piece *next;
    double due;
    size_t count;
    unsigned char bytes[];
};

// Reads at once and sends when it is time, so that the delay does not limit how much goes through.
static void *pass(void *context) {
    struct direction way = *(struct direction *)context;
    free(context);
    struct piece *first = NULL, **end = &first;
    bool open = true;
    while (open || first != NULL) {
        double left = first == NULL ? -1 : first->due - tapcard_now();
        if (first != NULL && left <= 0) {
            struct piece *sent = first;
            if (!tapcard_send_all(way.to, sent->bytes, sent->count)) break;
            first = sent->next;
            if (first == NULL) end = &first;
            free(sent);
            continue;
        }
        struct pollfd readable = {open ? way.from : -1, POLLIN, 0};
        struct timespec wait = {0, (long)(left * 1e6)};
        if (ppoll(&readable, 1, first == NULL ? NULL : &wait, NULL) <= 0) continue;
        enum { MOST = 1 << 16 };
        struct piece *piece = malloc(sizeof *piece + MOST);
        ssize_t count = piece == NULL ? -1 : recv(way.from, piece->bytes, MOST, 0);
        open = count > 0;
        if (!open) {
            free(piece);
            continue;
        }
        *piece = (struct piece){NULL, tapcard_now() + way.delay, (size_t)count};
        *end = piece;
        end = &piece->next;
    }
    shutdown(way.from, SHUT_RDWR);
    shutdown(way.to, SHUT_RDWR);
    return NULL;
}

static bool start(int from, int to, double delay) {
    struct direction *way = malloc(sizeof *way);
    pthread_t thread;
    if (way == NULL) return false;
    *way = (struct direction){from, to, delay};
    if (pthread_create(&thread, NULL, pass, way) != 0) return false;
    pthread_detach(thread);
    return true;
}

// The descriptors stay open to the end of the program, as does the link.
static void *serve(void *context) {
    struct link *link = context;
    while (true) {
        int near = accept(link->listener, NULL, NULL);
        int far = tapcard_socket(link->target, false);
        if (near < 0 || far < 0 || !start(near, far, link->delay) || !start(far, near, link->delay)) {
            close(near);
            close(far);
        }
    }
    return NULL;
}

int tapcard_delay(const char *path, const char *target, double milliseconds) {
    struct link *link = calloc(1, sizeof *link);
    pthread_t thread;
    if (link == NULL || strlen(target) >= sizeof link->target) return -1;
    strcpy(link->target, target);
    link->delay = milliseconds;
    link->listener = tapcard_socket(path, true);
    if (link->listener < 0 || pthread_create(&thread, NULL, serve, link) != 0) return -1;
    pthread_detach(thread);
    return 0;
}
