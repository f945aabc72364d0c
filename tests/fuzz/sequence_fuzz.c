/* What a terminal sends after Esc: any bytes give one of the things there are, and no more bytes
 * are taken than there are. */
#include "front/term/key.h"
#include "fuzz/fuzz.h"

struct input {
    const uint8_t *data;
    size_t size, ended;
};

static int next_byte(void *ctx)
{
    struct input *input = ctx;
    if (input->size == 0) {
        input->ended++;
        return -1;
    }
    input->size--;
    return *input->data++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size, 0};
    int introducer = next_byte(&input);
    if (!sequence_begins(introducer))
        return 0;
    struct sequence sequence = sequence_read(introducer, next_byte, &input);
    if (input.ended > 1)
        abort(); /* it asked on after the end */
    switch (sequence.kind) {
    case SEQUENCE_KEY:
        if (sequence.key == K_NONE)
            abort();
        break;
    case SEQUENCE_MOUSE:
        if (sequence.mouse.x < 0 || sequence.mouse.y < 0 ||
            sequence.mouse.button > MOUSE_WHEEL_DOWN)
            abort();
        break;
    case SEQUENCE_PASTE:
    case SEQUENCE_PASTED:
    case SEQUENCE_OTHER:
        break;
    default:
        abort();
    }
    return 0;
}
