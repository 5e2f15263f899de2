#include "payments_in_c.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

// The yardstick for SQLiteLedger: what the same work costs without anything around SQLite.

enum {
    BEGIN, COMMIT, FIND_OPERATION, FIND_CARD, FIND_BALANCE, FIND_OPEN, HAND_OUT, INSERT_OPERATION,
    INSERT_RECORD, OPEN_ACCOUNT, BOOK, INSERT_ENTRY, CONFIRM, END_OPERATION, STATEMENTS
};

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [FIND_OPERATION] = "SELECT * FROM operation WHERE id = ?1",
    [FIND_CARD] = "SELECT * FROM card WHERE uid = ?1",
    [FIND_BALANCE] = "SELECT balance FROM account WHERE name = ?1",
    [FIND_OPEN] = "SELECT * FROM operation WHERE uid = ?1 AND state = 'pending'",
    [HAND_OUT] = "UPDATE card SET allocated = ?2 WHERE uid = ?1",
    [INSERT_OPERATION] =
        "INSERT INTO operation (id, uid, kind, amount, begun_at, state, sequence) "
        "VALUES (?1, ?2, 'pay', 1, 1700000000000, 'pending', ?3)",
    [INSERT_RECORD] =
        "INSERT INTO issued_record (uid, sequence, bytes, operation) VALUES (?1, ?2, ?3, ?4)",
    [OPEN_ACCOUNT] = "INSERT INTO account (name, balance) VALUES (?1, 0) ON CONFLICT DO NOTHING",
    [BOOK] = "UPDATE account SET balance = balance + ?2 WHERE name = ?1",
    [INSERT_ENTRY] =
        "INSERT INTO entry (operation, account, amount, posted_at) "
        "VALUES (?1, ?2, ?3, 1700000000000)",
    [CONFIRM] = "UPDATE card SET confirmed = ?2 WHERE uid = ?1",
    [END_OPERATION] =
        "UPDATE operation SET state = 'committed', ended_at = 1700000000000, balance_after = ?2 "
        "WHERE id = ?1",
};

static int run(sqlite3_stmt *statement) {
    int code;
    do {
        code = sqlite3_step(statement);
    } while (code == SQLITE_ROW);
    int reset = sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : reset ? reset : code;
}

static void text(sqlite3_stmt *statement, int place, const char *value) {
    sqlite3_bind_text(statement, place, value, -1, SQLITE_STATIC);
}

static int book(sqlite3_stmt **all, const char *id, const char *account, int amount) {
    text(all[OPEN_ACCOUNT], 1, account);
    text(all[BOOK], 1, account);
    sqlite3_bind_int(all[BOOK], 2, amount);
    int code = run(all[OPEN_ACCOUNT]);
    if (!code) code = run(all[BOOK]);
    if (code) return code;
    text(all[INSERT_ENTRY], 1, id);
    text(all[INSERT_ENTRY], 2, account);
    sqlite3_bind_int(all[INSERT_ENTRY], 3, amount);
    return run(all[INSERT_ENTRY]);
}

static int pay(sqlite3_stmt **all, const char *uid, const char *purse, const char *id, int number) {
    unsigned char record[16] = {0x44};
    memcpy(record + 1, &number, sizeof number);
    int code = run(all[BEGIN]);
    text(all[FIND_OPERATION], 1, id);
    text(all[FIND_CARD], 1, uid);
    text(all[FIND_BALANCE], 1, purse);
    text(all[FIND_OPEN], 1, uid);
    for (int step = FIND_OPERATION; !code && step <= FIND_OPEN; step++) code = run(all[step]);
    text(all[HAND_OUT], 1, uid);
    sqlite3_bind_int(all[HAND_OUT], 2, number);
    text(all[INSERT_OPERATION], 1, id);
    text(all[INSERT_OPERATION], 2, uid);
    sqlite3_bind_int(all[INSERT_OPERATION], 3, number);
    text(all[INSERT_RECORD], 1, uid);
    sqlite3_bind_int(all[INSERT_RECORD], 2, number);
    sqlite3_bind_blob(all[INSERT_RECORD], 3, record, sizeof record, SQLITE_STATIC);
    text(all[INSERT_RECORD], 4, id);
    for (int step = HAND_OUT; !code && step <= INSERT_RECORD; step++) code = run(all[step]);
    if (!code) code = run(all[COMMIT]);

    if (!code) code = run(all[BEGIN]);
    if (!code) code = run(all[FIND_OPERATION]);
    if (!code) code = run(all[FIND_CARD]);
    if (!code) code = book(all, id, purse, -1);
    if (!code) code = book(all, id, "takings", 1);
    text(all[CONFIRM], 1, uid);
    sqlite3_bind_int(all[CONFIRM], 2, number);
    if (!code) code = run(all[CONFIRM]);
    if (!code) code = run(all[FIND_BALANCE]);
    text(all[END_OPERATION], 1, id);
    sqlite3_bind_int(all[END_OPERATION], 2, 0);
    if (!code) code = run(all[END_OPERATION]);
    if (!code) code = run(all[COMMIT]);
    return code;
}

int tapcard_payments_in_c(const char *path, const char *uid, int first, int count) {
    sqlite3 *database;
    sqlite3_stmt *all[STATEMENTS] = {0};
    char purse[32], id[40];
    snprintf(purse, sizeof purse, "purse:%s:1", uid);
    int code = sqlite3_open(path, &database);
    if (!code) {
        code = sqlite3_exec(
            database,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", 0, 0,
            0);
    }
    for (int place = 0; !code && place < STATEMENTS; place++) {
        code = sqlite3_prepare_v2(database, texts[place], -1, &all[place], 0);
    }
    for (int number = first; !code && number < first + count; number++) {
        snprintf(id, sizeof id, "00000000-0000-4000-8000-%012d", number);
        code = pay(all, uid, purse, id, number);
    }
    for (int place = 0; place < STATEMENTS; place++) sqlite3_finalize(all[place]);
    sqlite3_close(database);
    return code;
}
