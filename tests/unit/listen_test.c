/* Where to listen, and what a client of HTTP asks whom for. */
#include "front/address.h"
#include "front/listen.h"
#include "unit/test.h"

#include <stdbool.h>
#include <string.h>

static void addresses(void **state)
{
    static const struct {
        const char *text, *address;
    } cases[] = {
        {"9464", "127.0.0.1:9464"},
        {":9464", "127.0.0.1:9464"},
        {"localhost:1", "127.0.0.1:1"},
        {"0.0.0.0:65535", "0.0.0.0:65535"},
        {"[::1]:0", "[::1]:0"},
        {"[::]:80", "[::]:80"},
        {"[2001:DB8::0001]:80", "[2001:db8::1]:80"},
        {"unix:/run/a b.socket", "unix:/run/a b.socket"},
        {"unix:relative:80", "unix:relative:80"},
        {"systemd", "systemd"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct address address;
        char text[ADDRESS_TEXT_SIZE];
        assert_int_equal(address_parse(&address, cases[i].text, NULL), 0);
        address_write(&address, text);
        assert_string_equal(text, cases[i].address);
    }
    static const char *const wrong[] = {"",     ":",      "65536",       "-1",    "9464x",
                                        "a:1",  "1.2:1",  "::1:80",      "[::1]", "[::1:80",
                                        "[]:1", "[x]:80", "example.org", " 9464", "127.0.0.1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct address address;
        struct err err = {""};
        assert_int_equal(address_parse(&address, wrong[i], &err), -1);
        assert_non_null(strstr(err.text, "expected PORT"));
    }
}

static void loopback(void **state)
{
    static const struct {
        const char *text;
        bool loopback;
    } cases[] = {
        {"9464", true},         {"127.255.0.1:1", true},
        {"[::1]:1", true},      {"[::ffff:127.0.0.1]:1", true},
        {"0.0.0.0:1", false},   {"[::]:1", false},
        {"128.0.0.1:1", false}, {"[::ffff:8.8.8.8]:1", false},
        {"unix:/run/a", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct address address;
        assert_int_equal(address_parse(&address, cases[i].text, NULL), 0);
        assert_int_equal(address_is_loopback(&address), cases[i].loopback);
    }
}

static void hosts(void **state)
{
    static const char *const own[] = {
        "127.0.0.1", "127.0.0.1:9464", "[::1]", "[::1]:9464", "192.0.2.1:1",
        "localhost", "LOCALHOST:9464", "web-1", "WEB-1:80",   "[::ffff:127.0.0.1]:1"};
    static const char *const foreign[] = {"",
                                          ":",
                                          ":80",
                                          "example.org",
                                          "web-1.org",
                                          "xweb-1",
                                          "web-1:",
                                          "web-1:x",
                                          "web-1:65536",
                                          "[",
                                          "[]",
                                          "[::1",
                                          "[::1]x",
                                          "::1",
                                          "1.2.3",
                                          "127.0.0.1.",
                                          "localhost:80:80",
                                          "localhost@evil",
                                          "web-1 "};
    assert_true(authority_is_own(NULL, "web-1"));
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        assert_true(authority_is_own(own[i], "web-1"));
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        assert_false(authority_is_own(foreign[i], "web-1"));
    assert_false(authority_is_own("", "")); /* a machine without a name */
}

static void negotiation(void **state)
{
    static const struct {
        const char *accept;
        bool openmetrics;
    } cases[] = {
        {NULL, false},
        {"", false},
        {"*/*", false},
        {"text/plain", false},
        {"application/openmetrics-text", true},
        {"Application/OpenMetrics-Text ; version=1.0.0", true},
        /* As Prometheus 2 asks, and as it does from 2.49 and 3 on. */
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
         "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         true},
        {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
         "application/openmetrics-text;version=0.0.1;q=0.5,"
         "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,"
         "*/*;q=0.2",
         true},
        {"application/openmetrics-text;version=2.0.0", false},
        {"application/openmetrics-text;version=\"1.0.0\"", true},
        {"application/openmetrics-text;q=0", false},
        {"application/openmetrics-text;q=0.4,text/plain;q=0.5", false},
        {"text/plain;q=0.5,application/openmetrics-text;q=0.5", true},
        {"application/openmetrics-text;q=2", false},
        {"application/openmetrics-text;q=x", false},
        {",;,;=,\"", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(accept_openmetrics(cases[i].accept), cases[i].openmetrics);
}
