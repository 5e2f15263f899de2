// Nothing is called by name here: the library is loaded in front of the C library (LD_PRELOAD) and
// takes the place of the calls that leave something on a disk, on a reader's line or with a
// database.
//
// Variables of the program under test:
//   KILL_SWITCH_FILES   the folder whose files count, and everything below it; or one file,
//                       with those beside it that begin with its name and a hyphen
//   KILL_SWITCH_READER  the device of the reader; its writes count as well
//   KILL_SWITCH_DATABASE  the folder of a database's socket; what is sent there counts as well
//   KILL_SWITCH_LOG     a file that gets a line a call: number, kind, call, name, second name
//   KILL_SWITCH_CALLS   counts only these, between commas (by kind: ledger, reader, database;
//                       by name: write, send, sync, truncate, create, open, unlink, rename, link, mkdir)
//   KILL_SWITCH_AT      the number of the call at which something happens
//   KILL_SWITCH_ONCE    a file that is made there; where it is already, nothing happens
//   KILL_SWITCH_DO      what happens there: kill-before, kill-after, fail NUMBER, fail-on NUMBER
//                       (it and all after it), short, lose
//   KILL_SWITCH_PATIENCE  the shortest timeout of select(), in seconds, for calls that have one
