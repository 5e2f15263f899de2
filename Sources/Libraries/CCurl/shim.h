#ifndef TAPCARD_CCURL_H
#define TAPCARD_CCURL_H

#include "../binding.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

/// The functions of libcurl that tapcard calls. The library is not linked, because loading it and
/// its dependencies would cost every tap 10 ms. It is loaded for the first request instead. The
/// types come from libcurl's own header, so a changed signature is a compile-time error.
struct tapcard_libcurl {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_easy_reset) *easy_reset;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_easy_getinfo) *easy_getinfo;
    __typeof__(curl_easy_strerror) *easy_strerror;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
    __typeof__(curl_multi_init) *multi_init;
    __typeof__(curl_multi_cleanup) *multi_cleanup;
    __typeof__(curl_multi_add_handle) *multi_add_handle;
    __typeof__(curl_multi_remove_handle) *multi_remove_handle;
    __typeof__(curl_multi_perform) *multi_perform;
    __typeof__(curl_multi_poll) *multi_poll;
    __typeof__(curl_multi_wakeup) *multi_wakeup;
    __typeof__(curl_multi_info_read) *multi_info_read;
};

/// Fills the table with functions of a library opened with dlopen. Returns null, or the name of a
/// missing function.
static inline const char *tapcard_libcurl_bind(void *library, struct tapcard_libcurl *table) {
    TAPCARD_BIND(global_init, "curl_global_init")
    TAPCARD_BIND(easy_init, "curl_easy_init")
    TAPCARD_BIND(easy_cleanup, "curl_easy_cleanup")
    TAPCARD_BIND(easy_reset, "curl_easy_reset")
    TAPCARD_BIND(easy_setopt, "curl_easy_setopt")
    TAPCARD_BIND(easy_getinfo, "curl_easy_getinfo")
    TAPCARD_BIND(easy_strerror, "curl_easy_strerror")
    TAPCARD_BIND(slist_append, "curl_slist_append")
    TAPCARD_BIND(slist_free_all, "curl_slist_free_all")
    TAPCARD_BIND(multi_init, "curl_multi_init")
    TAPCARD_BIND(multi_cleanup, "curl_multi_cleanup")
    TAPCARD_BIND(multi_add_handle, "curl_multi_add_handle")
    TAPCARD_BIND(multi_remove_handle, "curl_multi_remove_handle")
    TAPCARD_BIND(multi_perform, "curl_multi_perform")
    TAPCARD_BIND(multi_poll, "curl_multi_poll")
    TAPCARD_BIND(multi_wakeup, "curl_multi_wakeup")
    TAPCARD_BIND(multi_info_read, "curl_multi_info_read")
    return NULL;
}

// Swift cannot call variadic functions. These wrappers take one type of argument each.

static inline CURLcode tapcard_libcurl_set_number(
    struct tapcard_libcurl table, CURL *easy, CURLoption option, long value) {
    return table.easy_setopt(easy, option, value);
}

static inline CURLcode tapcard_libcurl_set_size(
    struct tapcard_libcurl table, CURL *easy, CURLoption option, int64_t value) {
    return table.easy_setopt(easy, option, (curl_off_t)value);
}

static inline CURLcode tapcard_libcurl_set_text(
    struct tapcard_libcurl table, CURL *easy, CURLoption option, const char *value) {
    return table.easy_setopt(easy, option, value);
}

static inline CURLcode tapcard_libcurl_set_pointer(
    struct tapcard_libcurl table, CURL *easy, CURLoption option, void *value) {
    return table.easy_setopt(easy, option, value);
}

/// Receives a part of the response. Returns the number of bytes accepted. If that is not all of
/// them, libcurl stops the transfer.
typedef size_t (*tapcard_libcurl_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode tapcard_libcurl_set_taker(
    struct tapcard_libcurl table, CURL *easy, CURLoption option,
    tapcard_libcurl_callback taker) {
    return table.easy_setopt(easy, option, taker);
}

static inline int tapcard_libcurl_prepare_socket(
    void *limit, curl_socket_t connection, curlsocktype purpose) {
    (void)purpose;
    unsigned milliseconds = (unsigned)(uintptr_t)limit;
    int failure = fcntl(connection, F_SETFD, FD_CLOEXEC);
    if (milliseconds > 0)
        failure |= setsockopt(
            connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    return failure == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

/// Keeps child processes from inheriting connections, which they would keep open. With a limit in
/// milliseconds, a connection ends if what was sent on it is not acknowledged for that long.
static inline CURLcode tapcard_libcurl_prepare_sockets(
    struct tapcard_libcurl table, CURL *easy, unsigned limit) {
    CURLcode code = table.easy_setopt(easy, CURLOPT_SOCKOPTDATA, (void *)(uintptr_t)limit);
    if (code != CURLE_OK) return code;
    return table.easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, tapcard_libcurl_prepare_socket);
}

static inline long tapcard_libcurl_number(
    struct tapcard_libcurl table, CURL *easy, CURLINFO info) {
    long value = 0;
    return table.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline int64_t tapcard_libcurl_size(
    struct tapcard_libcurl table, CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return table.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

/// The result code of a multi handle's only transfer; -1 while the transfer is running. This
/// function hides the union in libcurl's message from Swift.
static inline int tapcard_libcurl_outcome(struct tapcard_libcurl table, CURLM *multi) {
    int left = 0;
    for (CURLMsg *message; (message = table.multi_info_read(multi, &left)) != NULL;)
        if (message->msg == CURLMSG_DONE) return (int)message->data.result;
    return -1;
}

#endif
