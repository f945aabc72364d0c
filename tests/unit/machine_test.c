#include "base/mem.h"
#include "metric/machine.h"
#include "unit/test.h"

#include <stdlib.h>

static void load(struct machine *machine, const char *text)
{
    struct err err = {""};
    machine_load(machine, text, "c.ini", &err);
    assert_string_equal(err.text, "");
}

static void expect_error(const char *text, const char *message)
{
    struct machine machine = {0};
    struct err err = {""};
    assert_int_equal(machine_load(&machine, text, "c.ini", &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(machine.set_count, 0);
    machine_release(&machine);
}

static void mistakes_name_their_line(void **state)
{
    expect_error("[cpus a]\nlabel = x\n", "c.ini:2: set of CPUs 'a' has no match");
    expect_error("[cpus a b]\nmatch = x\n",
                 "c.ini:2: no name for a set of CPUs 'a b': expected one word");
    expect_error("[cpus a]\nmatsh = x\n",
                 "c.ini:2: a set of CPUs has no key 'matsh': did you mean 'match'?");
}

static void slots(void **state)
{
    struct err err;
    struct machine machine = {0};
    machine_add(&machine, "0x410fd4f1 Neoverse-V2");
    assert_int_equal(machine_slots(&machine), 0);
    load(&machine, "[cpus n]\nmatch = Neoverse-N?\nslots = 5\n"
                   "[cpus v]\nmatch = Neoverse-V?\nslots = 8\n");
    assert_int_equal(machine_slots(&machine), 8);
    machine_add(&machine, "caps/slots=10"); /* the PMU knows better */
    assert_int_equal(machine_slots(&machine), 10);
    assert_int_equal(machine_load(&machine, "[cpus x]\nmatch = y\nslots = 0\n", "c.ini", &err), -1);
    assert_string_equal(err.text, "c.ini:3: slots is '0': expected a number from 1 to 64");
    machine_release(&machine);
}
