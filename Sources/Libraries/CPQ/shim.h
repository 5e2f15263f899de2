#ifndef TAPCARD_CPQ_H
#define TAPCARD_CPQ_H

#include "../binding.h"

#include <postgresql/libpq-fe.h>

/// The functions of libpq that tapcard calls. The library is loaded when a ledger in PostgreSQL is
/// opened. It is not linked, because it depends on libraries for Kerberos, LDAP, and TLS, and
/// loading them would slow down every tap. The types come from libpq's own header, so a changed
/// signature is a compile-time error.
struct tapcard_libpq {
    __typeof__(PQconnectdbParams) *connectdbParams;
    __typeof__(PQconninfoParse) *conninfoParse;
    __typeof__(PQconninfoFree) *conninfoFree;
    __typeof__(PQstatus) *status;
    __typeof__(PQsocket) *socket;
    __typeof__(PQfinish) *finish;
    __typeof__(PQerrorMessage) *errorMessage;
    __typeof__(PQsetnonblocking) *setnonblocking;
    __typeof__(PQsetNoticeReceiver) *setNoticeReceiver;
    __typeof__(PQenterPipelineMode) *enterPipelineMode;
    __typeof__(PQpipelineSync) *pipelineSync;
    __typeof__(PQsendQueryParams) *sendQueryParams;
    __typeof__(PQsendPrepare) *sendPrepare;
    __typeof__(PQsendQueryPrepared) *sendQueryPrepared;
    __typeof__(PQflush) *flush;
    __typeof__(PQconsumeInput) *consumeInput;
    __typeof__(PQisBusy) *isBusy;
    __typeof__(PQgetResult) *getResult;
    __typeof__(PQresultStatus) *resultStatus;
    __typeof__(PQresultErrorField) *resultErrorField;
    __typeof__(PQcmdStatus) *cmdStatus;
    __typeof__(PQntuples) *ntuples;
    __typeof__(PQnfields) *nfields;
    __typeof__(PQftype) *ftype;
    __typeof__(PQgetisnull) *getisnull;
    __typeof__(PQgetvalue) *getvalue;
    __typeof__(PQgetlength) *getlength;
    __typeof__(PQclear) *clear;
    __typeof__(PQbackendPID) *backendPID;
    __typeof__(PQencryptPasswordConn) *encryptPasswordConn;
    __typeof__(PQfreemem) *freemem;
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_libpq_bind(void *library, struct tapcard_libpq *table) {
    TAPCARD_BIND(connectdbParams, "PQconnectdbParams")
    TAPCARD_BIND(conninfoParse, "PQconninfoParse")
    TAPCARD_BIND(conninfoFree, "PQconninfoFree")
    TAPCARD_BIND(status, "PQstatus")
    TAPCARD_BIND(socket, "PQsocket")
    TAPCARD_BIND(finish, "PQfinish")
    TAPCARD_BIND(errorMessage, "PQerrorMessage")
    TAPCARD_BIND(setnonblocking, "PQsetnonblocking")
    TAPCARD_BIND(setNoticeReceiver, "PQsetNoticeReceiver")
    TAPCARD_BIND(enterPipelineMode, "PQenterPipelineMode")
    TAPCARD_BIND(pipelineSync, "PQpipelineSync")
    TAPCARD_BIND(sendQueryParams, "PQsendQueryParams")
    TAPCARD_BIND(sendPrepare, "PQsendPrepare")
    TAPCARD_BIND(sendQueryPrepared, "PQsendQueryPrepared")
    TAPCARD_BIND(flush, "PQflush")
    TAPCARD_BIND(consumeInput, "PQconsumeInput")
    TAPCARD_BIND(isBusy, "PQisBusy")
    TAPCARD_BIND(getResult, "PQgetResult")
    TAPCARD_BIND(resultStatus, "PQresultStatus")
    TAPCARD_BIND(resultErrorField, "PQresultErrorField")
    TAPCARD_BIND(cmdStatus, "PQcmdStatus")
    TAPCARD_BIND(ntuples, "PQntuples")
    TAPCARD_BIND(nfields, "PQnfields")
    TAPCARD_BIND(ftype, "PQftype")
    TAPCARD_BIND(getisnull, "PQgetisnull")
    TAPCARD_BIND(getvalue, "PQgetvalue")
    TAPCARD_BIND(getlength, "PQgetlength")
    TAPCARD_BIND(clear, "PQclear")
    TAPCARD_BIND(backendPID, "PQbackendPID")
    TAPCARD_BIND(encryptPasswordConn, "PQencryptPasswordConn")
    TAPCARD_BIND(freemem, "PQfreemem")
    return NULL;
}

/// Counts warnings from the server. If there is one during a commit, the commit may still be lost.
struct tapcard_libpq_warnings {
    __typeof__(PQresultErrorField) *field;
    int count;
};

static inline void tapcard_libpq_note(void *context, const PGresult *result) {
    struct tapcard_libpq_warnings *warnings = (struct tapcard_libpq_warnings *)context;
    const char *severity = warnings->field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity != NULL && severity[0] == 'W') warnings->count++;
}

// Swift does not import these constants, because they are character literals.
static const int tapcard_libpq_sqlstate = PG_DIAG_SQLSTATE;
static const int tapcard_libpq_message = PG_DIAG_MESSAGE_PRIMARY;

#endif
