#include "app/startup.h"
#include "unit/test.h"

static bool ledger(double machine, double watched, size_t cpus)
{
    struct switch_rates rates = {machine, watched};
    return engine_choice_ledger(&rates, cpus);
}

static void others_that_hardly_switch(void **state)
{
    assert_true(ledger(0, 0, 1));
    assert_true(ledger(1000, 0, 1));
    assert_true(ledger(100000, 0, 64));
}

static void others_that_switch_often(void **state)
{
    assert_false(ledger(100000, 0, 4));
    assert_false(ledger(1000000, 1000, 64));
}

static void watched_that_switch_often(void **state)
{
    assert_true(ledger(100000, 90000, 4));
    assert_false(ledger(100000, 40000, 4));
}
