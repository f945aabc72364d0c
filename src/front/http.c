#include "front/http.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

int http_load(struct http *http, struct err *err)
{
    static const char library[] = "libmicrohttpd.so.12";
    static const struct {
        const char *name;
        size_t field;
    } functions[] = {
        {"MHD_start_daemon", offsetof(struct http, start_daemon)},
        {"MHD_stop_daemon", offsetof(struct http, stop_daemon)},
        {"MHD_run", offsetof(struct http, run)},
        {"MHD_add_connection", offsetof(struct http, add_connection)},
        {"MHD_get_connection_info", offsetof(struct http, get_connection_info)},
        {"MHD_get_timeout", offsetof(struct http, get_timeout)},
        {"MHD_get_daemon_info", offsetof(struct http, get_daemon_info)},
        {"MHD_create_response_from_buffer", offsetof(struct http, create_response_from_buffer)},
        {"MHD_add_response_header", offsetof(struct http, add_response_header)},
        {"MHD_destroy_response", offsetof(struct http, destroy_response)},
        {"MHD_queue_response", offsetof(struct http, queue_response)},
        {"MHD_lookup_connection_value", offsetof(struct http, lookup_connection_value)},
        {"MHD_get_connection_values", offsetof(struct http, get_connection_values)},
        {"MHD_http_unescape", offsetof(struct http, http_unescape)},
    };
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return err_set(err, "cannot listen: no '%s' here; install libmicrohttpd", library);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(handle, functions[i].name);
        if (!function)
            return err_set(err, "cannot listen: '%s' has no %s", library, functions[i].name);
        memcpy((char *)http + functions[i].field, &function, sizeof(function));
    }
    return 0;
}
