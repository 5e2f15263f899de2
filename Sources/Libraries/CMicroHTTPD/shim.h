#ifndef TAPCARD_CMICROHTTPD_H
#define TAPCARD_CMICROHTTPD_H

#include "../binding.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// The functions of libmicrohttpd that tapcard calls. The library is loaded at run time instead of
/// being linked. It depends on GnuTLS, and loading both would slow down every tap. The types come
/// from libmicrohttpd's own header, so a changed signature is a compile-time error.
struct tapcard_microhttpd {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_quiesce_daemon) *quiesce_daemon;
    __typeof__(MHD_get_daemon_info) *get_daemon_info;
    __typeof__(MHD_run) *run;
    __typeof__(MHD_get_timeout) *get_timeout;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_get_connection_values_n) *get_connection_values;
    __typeof__(MHD_suspend_connection) *suspend_connection;
    __typeof__(MHD_resume_connection) *resume_connection;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_create_response_from_callback) *create_response_from_callback;
    __typeof__(MHD_set_response_options) *set_response_options;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_microhttpd_bind(
    void *library, struct tapcard_microhttpd *table) {
    TAPCARD_BIND(start_daemon, "MHD_start_daemon")
    TAPCARD_BIND(stop_daemon, "MHD_stop_daemon")
    TAPCARD_BIND(quiesce_daemon, "MHD_quiesce_daemon")
    TAPCARD_BIND(get_daemon_info, "MHD_get_daemon_info")
    TAPCARD_BIND(run, "MHD_run")
    TAPCARD_BIND(get_timeout, "MHD_get_timeout")
    TAPCARD_BIND(get_connection_info, "MHD_get_connection_info")
    TAPCARD_BIND(get_connection_values, "MHD_get_connection_values_n")
    TAPCARD_BIND(suspend_connection, "MHD_suspend_connection")
    TAPCARD_BIND(resume_connection, "MHD_resume_connection")
    TAPCARD_BIND(create_response_from_buffer, "MHD_create_response_from_buffer")
    TAPCARD_BIND(create_response_from_callback, "MHD_create_response_from_callback")
    TAPCARD_BIND(set_response_options, "MHD_set_response_options")
    TAPCARD_BIND(add_response_header, "MHD_add_response_header")
    TAPCARD_BIND(queue_response, "MHD_queue_response")
    TAPCARD_BIND(destroy_response, "MHD_destroy_response")
    return NULL;
}

/// The last message that libmicrohttpd logged.
struct tapcard_microhttpd_log {
    char text[200];
};

static inline void tapcard_microhttpd_note(void *log, const char *format, va_list arguments) {
    struct tapcard_microhttpd_log *last = (struct tapcard_microhttpd_log *)log;
    (void)vsnprintf(last->text, sizeof last->text, format, arguments);
}

typedef void *(*tapcard_microhttpd_target_callback)(
    void *context, const char *target, struct MHD_Connection *connection);

/// The settings of a server. Everything that they point to must outlive the server.
struct tapcard_microhttpd_settings {
    int listening_socket;
    unsigned int connections;
    unsigned int idle_seconds;
    size_t connection_bytes;
    /// The certificate in PEM format; null if TLS is not used.
    const char *certificate;
    const char *key;
    /// Passed to every callback.
    void *context;
    tapcard_microhttpd_target_callback target;
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    struct tapcard_microhttpd_log *log;
};

static inline size_t tapcard_microhttpd_keep_escapes(
    void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    size_t length = 0;
    while (text[length] != 0) length++;
    return length;
}

/// Hides the query of a target from the library. The caller has already read it. The library would
/// keep a record of every parameter, and if they filled its memory, the request would never get a
/// response.
static inline void tapcard_microhttpd_hide_query(const char *target) {
    // This is the library's own buffer, in which it splits the line itself. It continues after the
    // "?".
    char *question = strchr((char *)target, '?');
    if (question != NULL && question[1] != 0) question[1] = 0;
}

/// Starts a server that has no thread of its own. The caller runs it whenever its descriptor is
/// readable or its timeout has expired, so only the caller's thread uses it. Returns null on
/// failure.
static inline struct MHD_Daemon *tapcard_microhttpd_start(
    const struct tapcard_microhttpd *table, const struct tapcard_microhttpd_settings *settings) {
    // TLS 1.2 and 1.3, with forward secrecy and authenticated encryption. The client chooses the
    // group for the key exchange, and all other clients have to wait for the exchange. With the
    // finite-field groups of TLS 1.3, it takes up to 360 ms; with these groups, at most 0.8 ms.
    static const char modern[] =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:"
        "-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:"
        "-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD:"
        "-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:%SERVER_PRECEDENCE";
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)modern},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    unsigned int tls = settings->certificate != NULL ? MHD_USE_TLS : 0;
    // The logger must be the first option, or it does not receive messages about the other options.
    return table->start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | tls, 0, NULL, NULL,
        settings->request, settings->context,
        MHD_OPTION_EXTERNAL_LOGGER, tapcard_microhttpd_note, settings->log,
        MHD_OPTION_LISTEN_SOCKET, settings->listening_socket,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_bytes,
        MHD_OPTION_UNESCAPE_CALLBACK, tapcard_microhttpd_keep_escapes, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, settings->target, settings->context,
        MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
        MHD_OPTION_ARRAY, tls != 0 ? secure : plain,
        MHD_OPTION_END);
}

/// The descriptor to wait on; -1 on failure.
static inline int tapcard_microhttpd_descriptor(
    const struct tapcard_microhttpd *table, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = table->get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info != NULL ? info->epoll_fd : -1;
}

/// The number of open connections to a server; 0 if unknown.
static inline unsigned int tapcard_microhttpd_connections(
    const struct tapcard_microhttpd *table, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info =
        table->get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info != NULL ? info->num_connections : 0;
}

/// The milliseconds until the server must be run; -1 if it is only waiting for its descriptor. The
/// result is limited to 1,000,000.
static inline int tapcard_microhttpd_timeout(
    const struct tapcard_microhttpd *table, struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    if (table->get_timeout(daemon, &milliseconds) == MHD_NO) return -1;
    return milliseconds > 1000000 ? 1000000 : (int)milliseconds;
}

/// The connection's socket; -1 on failure.
static inline int tapcard_microhttpd_socket(
    const struct tapcard_microhttpd *table, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        table->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL ? info->connect_fd : -1;
}

/// The size of a request's first line and headers, in bytes; 0 until they have arrived.
static inline size_t tapcard_microhttpd_head_bytes(
    const struct tapcard_microhttpd *table, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        table->get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info != NULL ? info->header_size : 0;
}

/// The pointer that the connection callback stored for this connection.
static inline void *tapcard_microhttpd_context(
    const struct tapcard_microhttpd *table, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        table->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

/// Makes the end of the connection, instead of a last chunk, mark the end of a response with an
/// unknown length.
static inline enum MHD_Result tapcard_microhttpd_end_by_closing(
    const struct tapcard_microhttpd *table, struct MHD_Response *response) {
    return table->set_response_options(
        response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// Swift cannot import these constants directly, because they contain casts.
static const uint64_t tapcard_microhttpd_unknown_size = MHD_SIZE_UNKNOWN;
static const ssize_t tapcard_microhttpd_end = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t tapcard_microhttpd_broken = MHD_CONTENT_READER_END_WITH_ERROR;

#endif
