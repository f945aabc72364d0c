#include "view/role.h"

#include <stddef.h>

const char *role_name(enum role role)
{
    static const char *const names[ROLE_COUNT] = {
        [ROLE_TEXT] = "text",
        [ROLE_LABEL] = "label",
        [ROLE_VALUE] = "value",
        [ROLE_DIM] = "dim",
        [ROLE_HEADING] = "heading",
        [ROLE_HEADING_SORT] = "heading-sort",
        [ROLE_SELECTED] = "selected",
        [ROLE_COUNTED] = "counted",
        [ROLE_SCALED] = "scaled",
        [ROLE_UNDEFINED] = "undefined",
        [ROLE_MISSING] = "missing",
        [ROLE_GOOD] = "good",
        [ROLE_BAD] = "bad",
        [ROLE_DEAD] = "dead",
        [ROLE_TAGGED] = "tagged",
        [ROLE_WATCHED] = "watched",
        [ROLE_HEAT_LOW] = "heat-low",
        [ROLE_HEAT_MID] = "heat-mid",
        [ROLE_HEAT_HIGH] = "heat-high",
        [ROLE_OTHER_USER] = "other-user",
        [ROLE_NOTICE] = "notice",
        [ROLE_ERROR] = "error",
        [ROLE_KEY] = "key",
        [ROLE_KEY_LABEL] = "key-label",
        [ROLE_PROMPT] = "prompt",
        [ROLE_BAR] = "bar",
        [ROLE_BAR_KERNEL] = "bar-kernel",
        [ROLE_BOX] = "box",
        [ROLE_BOX_1] = "box-1",
        [ROLE_BOX_2] = "box-2",
        [ROLE_BOX_3] = "box-3",
        [ROLE_BOX_4] = "box-4",
        [ROLE_BOX_5] = "box-5",
        [ROLE_BOX_6] = "box-6",
        [ROLE_BOX_GOOD] = "box-good",
        [ROLE_BOX_MID] = "box-mid",
        [ROLE_BOX_BAD] = "box-bad",
        [ROLE_BOX_FOUND] = "box-found",
        [ROLE_TAB] = "tab",
    };
    return (unsigned)role < ROLE_COUNT ? names[role] : NULL;
}
