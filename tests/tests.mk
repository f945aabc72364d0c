# Everything that tests and measures: included by the Makefile.

UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
UNIT := $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)
LIVE := $(patsubst tests/live/%.c,$(B)/live/%,$(sort $(wildcard tests/live/*_test.c)))
HELPER_SRC := $(sort $(wildcard tests/work/*.c))
HELPERS := $(HELPER_SRC:tests/work/%.c=$(B)/work/%)
BENCH := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))

include tests/fuzz/fuzz.mk tests/pmu/pmu.mk tests/ports/ports.mk

# The parts of `make test`, and those of `make check`.
QUICK := unit cli tui
ALL := $(QUICK) deep live outside pmu fuzz faults asan
# What the tests that T names, or these parts, need to have built.
named = $(filter $(1) $(1)/%,$(or $(patsubst tests/%,%,$(T:%/=%)),$(PARTS)))
PARTS := $(if $(filter check,$(MAKECMDGOALS)),$(ALL),$(QUICK))
NEEDS := $(if $(call named,unit),unit) $(if $(call named,live),live) \
         $(if $(call named,cli)$(call named,tui)$(call named,deep)$(call named,live)$(call named,outside)$(call named,faults),build helpers) \
         $(if $(call named,pmu),build helpers $(TESTBED)) $(if $(call named,fuzz),fuzz) $(if $(call named,asan),asan)

.PHONY: test check coverage unit live helpers bench ports pictures

# T names what to run: make test T=cli, make check T='asan/cli pmu/ipc.t'. AGAIN=2 runs a file that failed
# again, alone, up to twice.
test check: $(NEEDS) | $(FIRST)
	@B=$(B) tests/run $(if $(AGAIN),--again $(AGAIN)) $(or $(T),$(PARTS))

# What of src the tests execute, by gcov.
coverage:
	@$(MAKE) B=build-cov OPT='-O1 -g --coverage -fprofile-abs-path -fprofile-update=atomic' LDFLAGS=--coverage \
	    build unit helpers $(if $(call named,live),live)
	@rm -f ./*.gcno # of flags that were tried
	@find build-cov -name '*.gcda' -delete; chmod -R a+rwX build-cov
	@B=build-cov tests/run $(or $(T),$(QUICK)) || echo 'some failed: programs without rights cannot write what they executed, and say so'
	@tests/coverage build-cov

# Programs of tests find the helpers beside themselves, too.
BESIDE := $(foreach d,unit live lib,$(LIBEXEC:$(B)/%=$(B)/$(d)/%))
$(BESIDE): $(LIBEXEC)
	$(Q)mkdir -p $(@D) && ln -sf ../$(@F) $@

unit: $(UNIT)
live: $(LIVE)
helpers: $(HELPERS) $(BENCH) $(B)/scripted $(B)/lib/played $(B)/lib/recorder $(B)/lib/hostile $(B)/lib/inject $(B)/lib/memory.so $(BESIDE)

# Most tests have no use for the state that cmocka gives them.
define link_test
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-unused-parameter -Itests -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(B)/libcountertop.a $(LIBS) -lcmocka
endef

# A unit test has no main(): one is made that runs each of its functions.
$(B)/unit/%.c: tests/unit/%.c tests/unit/main.awk tests/unit/viewed.h
	$(Q)mkdir -p $(@D) && awk -v FILE=$< -f tests/unit/main.awk > $@

.SECONDARY: $(UNIT:=.c)
$(B)/unit/%: $(B)/unit/%.c $(B)/libcountertop.a | $(BESIDE)
	$(link_test)

$(B)/live/%: tests/live/%.c $(B)/libcountertop.a | $(BESIDE)
	$(link_test)

# Its readers of counts and records lie.
MUTATION_WRAP := group_counts decode_record decode_code_record profile_sum_add worker_start
$(B)/unit/demo_mutation_test $(B)/live/demo_mutation_test: private ALL_LDFLAGS += $(MUTATION_WRAP:%=-Wl,--wrap=%)

# It has a kernel of its own, whose CPU goes offline.
CPU_EVENTS_WRAP := clock_monotonic sys_open sys_enable sys_disable sys_set_output ring_open ring_close read close
$(B)/unit/cpu_events_test: private ALL_LDFLAGS += $(CPU_EVENTS_WRAP:%=-Wl,--wrap=%)

# The stages of its start fail.
$(B)/unit/stages_test: private ALL_LDFLAGS += -Wl,--wrap=stages_run

# The engine of all CPUs with a made-up kernel below it.
KERNEL_WRAP := clock_monotonic sys_open sys_enable sys_disable sys_set_period sys_set_output ring_open ring_close \
               nanosleep ppoll epoll_create1 epoll_ctl epoll_wait read close
WIDE_WRAP := $(KERNEL_WRAP) topology_online_again proc_tasks_meet proc_tasks_keep
$(B)/bench/wide: tests/bench/wide.c tests/lib/kernel.c tests/lib/kernel.h $(B)/libcountertop.a
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(ALL_LDFLAGS) $(WIDE_WRAP:%=-Wl,--wrap=%) -o $@ $(filter %.c %.a,$^) $(LIBS)

$(B)/bench/minimal: tests/bench/minimal.c
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $<

# What records rings, and the program with a made-up kernel that plays them: tests/data/rings.
RECORDER_WRAP := sys_open sys_enable sys_set_output ring_open close
$(B)/lib/recorder: tests/lib/recorder.c $(B)/libcountertop.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(ALL_LDFLAGS) $(RECORDER_WRAP:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)

# A helper that was taken over: tests/deep/hostile.t.
$(B)/lib/hostile: tests/lib/hostile.c $(B)/libcountertop.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -MMD -MP $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

PLAYED_WRAP := $(KERNEL_WRAP) sys_set_filter ring_open_within poll __poll_chk sampler_start
$(B)/lib/played: tests/lib/played.c tests/lib/kernel.c tests/lib/kernel.h $(B)/obj/main.o $(B)/libcountertop.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(ALL_LDFLAGS) $(PLAYED_WRAP:%=-Wl,--wrap=%) -o $@ $(filter %.c %.o %.a,$^) $(LIBS)

# The program with counts, tasks and time out of a script.
SCRIPTED_WRAP := clock_monotonic clock_wall clock_cpu cpu_engine_new task_engine_new engine_choice_measure \
                 probe_open_caps probe_open_core_counters topology_online topology_place owner_changes_open \
                 $(addprefix procfs_,each_cpu each_queue pressure load_average task read uid cmdline comm process_of processes)
$(B)/scripted: tests/lib/scripted.c $(B)/obj/main.o $(B)/libcountertop.a
	$(call say,TEST,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -MMD -MP $(ALL_LDFLAGS) $(SCRIPTED_WRAP:%=-Wl,--wrap=%) -o $@ $< $(B)/obj/main.o $(B)/libcountertop.a $(LIBS)

# Small programs with known counts, which the tests watch.
$(B)/work/%: tests/work/%.c $(B)/flags
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O1 -g -pthread $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $<

# What lets a system call or an allocation of a program fail.
$(B)/lib/inject: tests/faults/inject.c $(B)/flags
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O1 -g $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

$(B)/lib/memory.so: tests/faults/memory.c $(B)/flags
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O1 -g $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -shared -fPIC -o $@ $<

# T names parts and options, as tests/bench/run does: make bench T='switch pingpong', T=--check.
bench: build helpers
	@$(if $(and $(TESTBED),$(filter-out quick,$(or $(T),all))),! command -v aarch64-linux-gnu-gcc >/dev/null || $(MAKE) arm64)
	@B=$(B) tests/bench/run $(T)

# A picture of each theme, of a recording from the emulated machine.
pictures: build
	$(call say,PICTURES,themes/*.svg)
	$(Q)B=$(B) tests/pictures

-include $(UNIT:=.d) $(LIVE:=.d) $(HELPERS:=.d) $(B)/scripted.d
