#ifndef TAPCARD_PAYMENTS_IN_C_H
#define TAPCARD_PAYMENTS_IN_C_H

/// Books `count` payments of one minor unit on a card of an existing ledger, as a program in C
/// would: the same rows, two durable transactions each. Returns 0, or the code of SQLite.
int tapcard_payments_in_c(const char *path, const char *uid, int first, int count);

#endif
