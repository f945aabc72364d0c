/* Who is sent away when a server has no more places, and when a connection took too long. */
#include "front/listen.h"
#include "unit/test.h"

#include <arpa/inet.h>
#include <string.h>

static const uint64_t SECOND = 1000000000;

static bool add(struct crowd *crowd, struct guest *guest, const char *address, uint64_t since)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr_in four = {.sin_family = AF_INET};
    guest->since = since;
    if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
        return crowd_add(crowd, guest, (struct sockaddr *)&four);
    assert_int_equal(inet_pton(AF_INET6, address, &six.sin6_addr), 1);
    return crowd_add(crowd, guest, (struct sockaddr *)&six);
}

static void it_takes_so_many(void **state)
{
    struct crowd crowd = {0};
    struct guest guests[CROWD_MAX + 1] = {0};
    for (size_t i = 0; i < CROWD_MAX; i++)
        assert_true(add(&crowd, &guests[i], "10.0.0.1", i));
    assert_false(add(&crowd, &guests[CROWD_MAX], "10.0.0.2", 0));
    crowd_remove(&crowd, &guests[CROWD_MAX]); /* nobody */
    assert_int_equal(crowd.count, CROWD_MAX);
    for (size_t i = 0; i < CROWD_MAX; i += 2)
        crowd_remove(&crowd, &guests[i]);
    assert_int_equal(crowd.count, CROWD_MAX / 2);
    assert_ptr_equal(crowd_victim(&crowd), &guests[1]);
}

static void who_gives_way(void **state)
{
    struct crowd crowd = {0};
    struct guest a = {0}, b = {0}, c = {0}, d = {0}, e = {0};
    assert_null(crowd_victim(&crowd));
    assert_true(add(&crowd, &a, "192.0.2.1", 1));
    assert_true(add(&crowd, &b, "192.0.2.2", 5));
    assert_true(add(&crowd, &c, "192.0.2.2", 4));
    assert_ptr_equal(crowd_victim(&crowd), &c); /* the address with the most, the oldest there */
    c.asked = true;
    assert_ptr_equal(crowd_victim(&crowd), &b); /* who asked stays longer */
    crowd_remove(&crowd, &b);
    assert_ptr_equal(crowd_victim(&crowd), &a); /* one each: the oldest without a request */
    /* A host has all addresses of its network; others have the same bytes elsewhere. */
    assert_true(add(&crowd, &d, "2001:db8:0:1::1", 8));
    assert_true(add(&crowd, &e, "2001:db8:0:1:ffff::2", 9));
    assert_ptr_equal(crowd_victim(&crowd), &d);
    crowd_remove(&crowd, &d);
    assert_ptr_equal(crowd_victim(&crowd), &a);
}

static void expect_first(const struct crowd *crowd, const struct guest *guest, uint64_t deadline)
{
    uint64_t found;
    assert_ptr_equal(crowd_first(crowd, &found), guest);
    assert_true(found == deadline);
}

static void deadlines(void **state)
{
    struct crowd crowd = {0};
    struct guest a = {0}, b = {0};
    expect_first(&crowd, NULL, UINT64_MAX);
    assert_true(add(&crowd, &a, "192.0.2.1", 100 * SECOND));
    assert_true(add(&crowd, &b, "192.0.2.1", 99 * SECOND));
    expect_first(&crowd, &b, (99 + CROWD_ASK_SECONDS) * SECOND);
    b.asked = true;
    expect_first(&crowd, &a, (100 + CROWD_ASK_SECONDS) * SECOND);
    crowd_remove(&crowd, &a);
    expect_first(&crowd, &b, (99 + CROWD_ANSWER_SECONDS) * SECOND);
}
