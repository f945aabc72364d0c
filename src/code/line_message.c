#include "code/line_message.h"
#include "base/mem.h"
#include "base/socket.h"

#include <stdlib.h>
#include <string.h>

/* More than a table has (code/function_table.h), and than a file that can be loaded. */
enum {
    FUNCTIONS_MAX = 2 * TABLE_FUNCTIONS_MAX,
    NAMES_MAX = 2 * TABLE_NAMES_MAX,
    SEGMENTS_MAX = 1 << 16,
    LINK_MAX = 1 << 12,
};

/* Then the arrays follow: functions, names, segments, and the link. */
struct image_head {
    uint64_t functions, names, segments, link; /* elements */
    uint64_t around, reach, sum;
    uint32_t build_id_size, machine, link_check;
    unsigned char build_id[CODE_BUILD_ID_MAX];
};

bool image_send(int to, const struct elf_image *image)
{
    const struct function_table *table = &image->table;
    struct image_head head = {
        .functions = table->count,
        .names = table->count ? table->name_bytes : 0,
        .segments = image->segment_count,
        .link = image->link ? strlen(image->link) : 0,
        .around = table->around,
        .reach = table->reach,
        .sum = table->sum,
        .build_id_size = (uint32_t)image->build_id_size,
        .machine = image->machine,
        .link_check = image->link_check,
    };
    memcpy(head.build_id, image->build_id, sizeof(head.build_id));
    return socket_send(to, &head, sizeof(head)) &&
           socket_send(to, table->functions, head.functions * sizeof(*table->functions)) &&
           socket_send(to, table->names, head.names) &&
           socket_send(to, image->segments, head.segments * sizeof(*image->segments)) &&
           socket_send(to, image->link, head.link);
}

/* An array of that many elements, and a '\0' behind; NULL: the other end is gone. */
static void *receive_array(int from, uint64_t count, size_t size)
{
    char *array = mem_alloc(count * size + 1);
    if (socket_receive(from, array, count * size))
        return array;
    free(array);
    return NULL;
}

/* Functions ascend, and their names are in the table. */
static bool is_table(const struct function_table *table)
{
    bool good = table->count == 0 || (table->name_bytes > 0 && table->names[0] == '\0' &&
                                      table->names[table->name_bytes - 1] == '\0');
    for (size_t i = 0; i < table->count && good; i++) {
        const struct table_function *function = &table->functions[i];
        good =
            function->name < table->name_bytes && (i == 0 || function[-1].start < function->start);
    }
    return good;
}

bool image_receive(int from, struct elf_image *image)
{
    struct image_head head;
    if (!socket_receive(from, &head, sizeof(head)) || head.functions > FUNCTIONS_MAX ||
        head.names > NAMES_MAX || head.segments > SEGMENTS_MAX || head.link > LINK_MAX ||
        head.build_id_size > CODE_BUILD_ID_MAX)
        return false;
    struct function_table *table = &image->table;
    image->build_id_size = head.build_id_size;
    memcpy(image->build_id, head.build_id, sizeof(head.build_id));
    image->machine = head.machine;
    image->link_check = head.link_check;
    table->around = head.around;
    table->reach = head.reach;
    table->sum = head.sum;
    table->count = head.functions;
    table->name_bytes = table->name_room = head.names;
    image->segment_count = image->segment_room = head.segments;
    bool good =
        (table->functions = receive_array(from, head.functions, sizeof(*table->functions))) &&
        (table->names = receive_array(from, head.names, 1)) &&
        (image->segments = receive_array(from, head.segments, sizeof(*image->segments))) &&
        (image->link = receive_array(from, head.link, 1)) && is_table(table);
    if (!good) {
        elf_image_release(image);
    } else if (head.link == 0) {
        free(image->link);
        image->link = NULL;
    }
    return good;
}
