#ifndef TAPCARD_CSQLITE_H
#define TAPCARD_CSQLITE_H

#include <sqlite3.h>

// SQLITE_TRANSIENT makes SQLite copy the bytes. Swift cannot import it, because it is a cast.

static inline int tapcard_sqlite3_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int tapcard_sqlite3_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

#endif
