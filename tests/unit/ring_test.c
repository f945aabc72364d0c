#include "engine/ring.h"
#include "unit/rawrecord.h"
#include "unit/test.h"

#include <sys/mman.h>
#include <unistd.h>

/* A ring on a file in memory: what the kernel would write is written by hand. */
struct fixture {
    struct ring ring;
    char *data;
    size_t page;
};

static void fixture_open(struct fixture *f, size_t bytes)
{
    struct err err = {""};
    f->page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = memfd_create("ring", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)(f->page + bytes)), 0);
    assert_int_equal(ring_open(&f->ring, fd, bytes, &err), 0);
    close(fd);
    f->ring.page->data_offset = f->page;
    f->ring.data = f->data = (char *)f->ring.page + f->page;
}

/* As the kernel does, wrapping; the record's size may be a lie. */
static void put(struct fixture *f, const struct perf_event_header *header, size_t size)
{
    uint64_t head = f->ring.page->data_head;
    for (size_t i = 0; i < size; i++)
        f->data[(head + i) & (f->ring.size - 1)] = ((const char *)header)[i];
    f->ring.page->data_head = head + size;
}

static void put_lost(struct fixture *f, uint64_t lost)
{
    struct raw raw;
    raw_lost(&raw, lost, 1);
    put(f, &raw.header, raw.header.size);
}

static uint64_t lost_at_peek(struct ring *ring)
{
    const struct perf_event_header *header = ring_peek(ring);
    struct record r;
    assert_non_null(header);
    assert_true(decode_record(header, 0, &r));
    assert_int_equal(r.kind, RECORD_LOST);
    return r.lost;
}

static void records_that_wrap(void **state)
{
    struct fixture f;
    fixture_open(&f, f.page = (size_t)sysconf(_SC_PAGESIZE));
    /* 48 bytes do not divide a page: all ways of wrapping come up. */
    for (uint64_t i = 0; i < 3 * f.page; i++) {
        put_lost(&f, i);
        ring_update(&f.ring);
        assert_int_equal(lost_at_peek(&f.ring), i);
        ring_pop(&f.ring, ring_peek(&f.ring));
        ring_release(&f.ring);
    }
    /* A full ring, from the middle on. */
    size_t count = f.ring.size / 48;
    for (uint64_t i = 0; i < count; i++)
        put_lost(&f, i);
    ring_update(&f.ring);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(lost_at_peek(&f.ring), i);
        ring_pop(&f.ring, ring_peek(&f.ring));
    }
    assert_null(ring_peek(&f.ring));
    ring_close(&f.ring);
}

static void expect_emptied(uint16_t size, size_t there)
{
    struct fixture f;
    fixture_open(&f, 4096);
    put_lost(&f, 1);
    struct raw raw;
    raw_lost(&raw, 2, 1);
    raw.header.size = size;
    put(&f, &raw.header, there);
    ring_update(&f.ring);
    assert_int_equal(lost_at_peek(&f.ring), 1);
    ring_pop(&f.ring, ring_peek(&f.ring));
    assert_null(ring_peek(&f.ring));
    ring_release(&f.ring);
    assert_int_equal(f.ring.page->data_tail, f.ring.page->data_head);
    /* What comes afterwards is read again. */
    put_lost(&f, 3);
    ring_update(&f.ring);
    assert_int_equal(lost_at_peek(&f.ring), 3);
    ring_close(&f.ring);
}

static void impossible_sizes_empty_the_ring(void **state)
{
    expect_emptied(0, 48);
    expect_emptied(4, 48);
    expect_emptied(12, 48);
    expect_emptied(56, 48);
    expect_emptied(65528, 48);
}

static void sizes_are_powers_of_two_of_pages(void **state)
{
    struct fixture f;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fixture_open(&f, 3 * page);
    assert_int_equal(f.ring.size, 2 * page);
    ring_close(&f.ring);
    fixture_open(&f, page);
    assert_int_equal(f.ring.size, page);
    ring_close(&f.ring);
}

static void what_cannot_be_mapped(void **state)
{
    struct ring ring = {0};
    struct err err = {""};
    assert_int_equal(ring_open(&ring, -1, 4096, &err), -1);
    assert_non_null(strstr(err.text, "cannot map a ring of"));
    assert_null(ring.page);
    ring_close(&ring);
}
