#ifndef TAPCARD_STATIONS_IN_C_H
#define TAPCARD_STATIONS_IN_C_H

#include <stdbool.h>
#include <stddef.h>

/// The bytes that one client has sent to a PostgreSQL server, cut where it waited for an answer.
struct tapcard_tape;

/// Listens at `path`, passes one connection on to the server at `target`, and keeps what its client
/// sends. Null if that cannot be done.
struct tapcard_tape *tapcard_tape_record(const char *path, const char *target);

/// Waits for the end of the recorded connection.
void tapcard_tape_end(struct tapcard_tape *tape);

/// The number of times that the client waited for an answer.
int tapcard_tape_batches(const struct tapcard_tape *tape);

/// Sends the same statements, by way of libpq, to the database with this address, and waits where the
/// client waited. Writes the milliseconds of each batch. 0 if the server has refused nothing.
int tapcard_tape_replay(const struct tapcard_tape *tape, const char *address, double *milliseconds);

void tapcard_tape_free(struct tapcard_tape *tape);

/// Listens at `path` until the program ends, and passes each connection on to `target`: every byte
/// arrives so many milliseconds later. 0 if it listens.
int tapcard_delay(const char *path, const char *target, double milliseconds);

/// A Unix socket that is connected to `path` or listens there; negative if that cannot be done.
int tapcard_socket(const char *path, bool listening);

/// Sends all of it; false if the other side is gone.
bool tapcard_send_all(int to, const unsigned char *bytes, size_t count);

/// A monotonic clock, in milliseconds.
double tapcard_now(void);

#endif
