#ifndef TAPCARD_CMICROHTTPD_H
#define TAPCARD_CMICROHTTPD_H

#include "../binding.h"

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// The functions of libmicrohttpd that tapcard calls. The library is loaded at run time, not
/// linked: it brings GnuTLS with it, and every tap would pay for that. The types come from its own
/// header, so a signature that changes does not compile.
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

/// Fills the table from a library opened with dlopen. Returns the name of a missing function, or
/// null.
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

/// The last message of libmicrohttpd.
struct tapcard_microhttpd_log {
    char text[200];
};

static inline void tapcard_microhttpd_note(void *log, const char *format, va_list arguments) {
    struct tapcard_microhttpd_log *kept = (struct tapcard_microhttpd_log *)log;
    (void)vsnprintf(kept->text, sizeof kept->text, format, arguments);
}

typedef void *(*tapcard_microhttpd_target_callback)(
    void *context, const char *target, struct MHD_Connection *connection);

/// The settings of a server. Everything that they point to has to outlive it.
struct tapcard_microhttpd_settings {
    int listening_socket;
    unsigned int connections;
    unsigned int idle_seconds;
    size_t connection_bytes;
    /// PEM, or null without TLS.
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

/// Hides the query of a target, which the caller has read, from the library: it would keep a record
/// of every part, and a request with so many that its memory is full would never be answered.
static inline void tapcard_microhttpd_hide_query(const char *target) {
    // The library's own buffer, in which it cuts the line itself; it goes on behind the "?".
    char *question = strchr((char *)target, '?');
    if (question != NULL && question[1] != 0) question[1] = 0;
}

/// A server without a thread: the caller runs it whenever its descriptor is readable or its timeout
/// is over, so only the caller's thread touches it. Null on failure.
static inline struct MHD_Daemon *tapcard_microhttpd_start(
    const struct tapcard_microhttpd *table, const struct tapcard_microhttpd_settings *settings) {
    // TLS 1.2 and 1.3, keys for one connection alone, ciphers that are bound to what they protect.
    // The client chooses the group of the key exchange, and all other clients wait for it: the
    // finite-field groups of TLS 1.3 take up to 360 ms each, these at most 0.8 ms.
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
    // The logger has to come first, or it is not asked about the options.
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

/// The descriptor to wait for; -1 on failure.
static inline int tapcard_microhttpd_descriptor(
    const struct tapcard_microhttpd *table, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = table->get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info != NULL ? info->epoll_fd : -1;
}

/// The number of a server's connections; 0 if unknown.
static inline unsigned int tapcard_microhttpd_connections(
    const struct tapcard_microhttpd *table, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info =
        table->get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info != NULL ? info->num_connections : 0;
}

/// Milliseconds until the server wants to run; -1 if it only waits for its descriptor.
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

/// The bytes of a request's first line and headers; 0 before they have arrived.
static inline size_t tapcard_microhttpd_head_bytes(
    const struct tapcard_microhttpd *table, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        table->get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info != NULL ? info->header_size : 0;
}

/// What the connection callback has stored for this connection.
static inline void *tapcard_microhttpd_context(
    const struct tapcard_microhttpd *table, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        table->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

/// Makes an answer of unknown length end with its connection instead of a last chunk.
static inline enum MHD_Result tapcard_microhttpd_end_by_closing(
    const struct tapcard_microhttpd *table, struct MHD_Response *response) {
    return table->set_response_options(
        response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// Casts, which Swift cannot see.
static const uint64_t tapcard_microhttpd_unknown_size = MHD_SIZE_UNKNOWN;
static const ssize_t tapcard_microhttpd_end = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t tapcard_microhttpd_broken = MHD_CONTENT_READER_END_WITH_ERROR;

#endif
