/* A ring whose writer says anything: bytes are poured in by pieces, some of which end within a
 * record or claim what is not there. Each piece is a length and that many bytes. */
#include "engine/decode.h"
#include "engine/ring.h"
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static bool open_ring(struct ring *ring)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = memfd_create("ring", MFD_CLOEXEC);
    bool opened =
        fd >= 0 && ftruncate(fd, (off_t)(2 * page)) == 0 && ring_open(ring, fd, page, NULL) == 0;
    if (opened)
        ring->page->data_offset = page;
    if (fd >= 0)
        close(fd);
    return opened;
}

static void pour(struct ring *ring, const uint8_t *data, size_t size)
{
    char *bytes = (char *)ring->page + ring->page->data_offset;
    uint64_t head = ring->page->data_head;
    for (size_t i = 0; i < size; i++)
        bytes[(head + i) & (ring->size - 1)] = (char)data[i];
    ring->page->data_head = head + size;
}

static void empty(struct ring *ring)
{
    const struct perf_event_header *header;
    struct record record;
    ring_update(ring);
    while ((header = ring_peek(ring))) {
        check(header->size >= sizeof(*header) && header->size % 8 == 0);
        check(header->size <= ring->head - ring->tail);
        check(ring_peek(ring) == header);
        static char copy[65536];
        memcpy(copy, header, header->size); /* all of it is readable */
        decode_record(header, 0, &record);
        uint64_t tail = ring->tail;
        ring_pop(ring, header);
        check(ring->tail > tail);
    }
    check(ring->tail <= ring->head && ring->head - ring->tail < 8);
    ring_release(ring);
    check(ring->page->data_tail == ring->tail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ring ring;
    if (!open_ring(&ring))
        return 0;
    /* Begins anywhere, so that records wrap at once. */
    if (size) {
        ring.page->data_head = ring.page->data_tail = ring.tail = 4096u - 8u * data[0];
        data++;
        size--;
    }
    while (size > 1) {
        size_t length = (size_t)data[0] * 8;
        data++;
        size--;
        length = length < size ? length : size;
        pour(&ring, data, length);
        empty(&ring);
        data += length;
        size -= length;
    }
    ring_close(&ring);
    return 0;
}
