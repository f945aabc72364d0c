# Everything that tests and measures: included by the Makefile.

UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
UNIT := $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)
LIVE := $(patsubst tests/live/%.c,$(B)/live/%,$(sort $(wildcard tests/live/*_test.c)))
HELPER_SRC := $(sort $(wildcard tests/work/*.c))
HELPERS := $(HELPER_SRC:tests/work/%.c=$(B)/work/%)
BENCH := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/*_fuzz.c))
FUZZ := $(FUZZ_SRC:tests/fuzz/%.c=$(B)/%)
# The emulated arm64 machine is made of Debian's packages.
TESTBED := $(shell grep -qs '^ID=debian' /etc/os-release && echo arm64)

# The parts of `make test`, and those of `make check`.
QUICK := unit cli tui
ALL := $(QUICK) live outside pmu fuzz faults asan
# What the tests that T names, or these parts, need to have built.
named = $(filter $(1) $(1)/%,$(or $(patsubst tests/%,%,$(T:%/=%)),$(PARTS)))
PARTS := $(if $(filter check,$(MAKECMDGOALS)),$(ALL),$(QUICK))
NEEDS := $(if $(call named,unit),unit) $(if $(call named,live),live) \
         $(if $(call named,cli)$(call named,tui)$(call named,live)$(call named,outside)$(call named,faults),build helpers) \
         $(if $(call named,pmu),build helpers $(TESTBED)) $(if $(call named,fuzz),fuzz) $(if $(call named,asan),asan)

.PHONY: test check coverage unit live helpers fuzz fuzzers bench asan arm64 riscv64 ports pictures

# T names what to run: make test T=cli, make check T='asan/cli pmu/ipc.t'. AGAIN=2 runs a file that failed
# again, alone, up to twice.
test check: $(NEEDS) | $(FIRST)
	@B=$(B) tests/run $(if $(AGAIN),--again $(AGAIN)) $(or $(T),$(PARTS))

# What of src the tests execute, by gcov.
coverage:
	@$(MAKE) B=build-cov OPT='-O1 -g --coverage -fprofile-abs-path -fprofile-update=atomic' LDFLAGS=--coverage \
	    build unit helpers $(if $(call named,live),live)
	@find build-cov -name '*.gcda' -delete; chmod -R a+rwX build-cov
	@B=build-cov tests/run $(or $(T),$(QUICK)) || echo 'some failed: programs without rights cannot write what they executed, and say so'
	@tests/coverage build-cov

unit: $(UNIT)
live: $(LIVE)
helpers: $(HELPERS) $(BENCH) $(B)/scripted $(B)/lib/played $(B)/lib/recorder $(B)/lib/inject $(B)/lib/memory.so
fuzzers: $(FUZZ)

define link_test
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(B)/libcountertop.a $(LIBS) -lcmocka
endef

$(B)/unit/%: tests/unit/%.c $(B)/libcountertop.a
	$(link_test)

$(B)/live/%: tests/live/%.c $(B)/libcountertop.a
	$(link_test)

# Its readers of counts and records lie.
MUTATION_WRAP := group_counts decode_record decode_code_record profile_sum_add worker_start
$(B)/unit/demo_mutation_test $(B)/live/demo_mutation_test: ALL_LDFLAGS += $(MUTATION_WRAP:%=-Wl,--wrap=%)

# It has a kernel of its own, whose CPU goes offline.
CPU_EVENTS_WRAP := clock_monotonic sys_open sys_enable sys_disable sys_set_output ring_open ring_close read close
$(B)/unit/cpu_events_test: ALL_LDFLAGS += $(CPU_EVENTS_WRAP:%=-Wl,--wrap=%)

# The engine of all CPUs with a made-up kernel below it.
KERNEL_WRAP := clock_monotonic sys_open sys_enable sys_disable sys_set_period sys_set_output ring_open ring_close \
               nanosleep ppoll epoll_create1 epoll_ctl epoll_wait read close
WIDE_WRAP := $(KERNEL_WRAP) topology_online_again proc_tasks_meet proc_tasks_keep
$(B)/bench/wide: tests/bench/wide.c tests/lib/kernel.c tests/lib/kernel.h $(B)/libcountertop.a
	$(call say,BENCH,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(ALL_LDFLAGS) $(WIDE_WRAP:%=-Wl,--wrap=%) -o $@ $(filter %.c %.a,$^) $(LIBS)

# What records rings, and the program with a made-up kernel that plays them: tests/data/rings.
RECORDER_WRAP := sys_open sys_enable sys_set_output ring_open close
$(B)/lib/recorder: tests/lib/recorder.c $(B)/libcountertop.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(ALL_LDFLAGS) $(RECORDER_WRAP:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)

PLAYED_WRAP := $(KERNEL_WRAP) sys_set_filter ring_open_within poll __poll_chk sampler_start
$(B)/lib/played: tests/lib/played.c tests/lib/kernel.c tests/lib/kernel.h $(B)/obj/main.o $(B)/libcountertop.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests $(ALL_LDFLAGS) $(PLAYED_WRAP:%=-Wl,--wrap=%) -o $@ $(filter %.c %.o %.a,$^) $(LIBS)

# The program with counts, tasks and time out of a script.
SCRIPTED_WRAP := clock_monotonic clock_wall clock_cpu cpu_engine_new task_engine_new engine_choice_measure \
                 probe_open_caps probe_open_core_counters topology_online topology_place stat_files_read owner_changes_open \
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

$(B)/%_fuzz: tests/fuzz/%_fuzz.c $(B)/libcountertop.a
	$(call say,FUZZ,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -Itests -MMD -MP \
	    $(ALL_LDFLAGS) -o $@ $< $(B)/libcountertop.a $(LIBS)

# The same sources with sanitizers, as libFuzzer programs, and for the machine of tests/pmu.
# libubsan as a shared library writes no report where UBSAN_OPTIONS=log_path says: tests/lib/sanitized.
asan: | $(FIRST)
	@$(MAKE) B=build-asan OPT='-O1 -g1 -fno-omit-frame-pointer' build unit helpers \
	    SANITIZE='-fsanitize=address,undefined -static-libubsan -fno-sanitize-recover=undefined'

fuzz: | $(FIRST)
	@$(MAKE) B=build-fuzz CC=clang OPT='-O1 -g' fuzzers \
	    SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'

# The emulated machines: their packages, and the program and its helpers for them.
arm64: | $(FIRST)
	$(call machine,arm64,aarch64-linux-gnu)

# Needs gcc-riscv64-linux-gnu and qemu-system-misc, and a release with packages for it (Debian 13).
riscv64:
	$(call machine,riscv64,riscv64-linux-gnu)

machine = +@tests/pmu/sysroot $(1) build-$(1)/sysroot && \
    $(MAKE) B=build-$(1) CC='$(2)-gcc --sysroot=build-$(1)/sysroot' build helpers \
        PKG_CONFIG='env PKG_CONFIG_SYSROOT_DIR=build-$(1)/sysroot \
            PKG_CONFIG_LIBDIR=build-$(1)/sysroot/usr/lib/$(2)/pkgconfig pkg-config'

# For other processors, with unit tests under an emulator: make ports T='s390x armhf'.
ports:
	+@tests/ports/run $(T)

# T names parts and options, as tests/bench/run does: make bench T='switch pingpong', T=--check.
bench: build helpers
	@$(if $(TESTBED),! command -v aarch64-linux-gnu-gcc >/dev/null || $(MAKE) arm64)
	@B=$(B) tests/bench/run $(T)

# A picture of each theme, of a recording from the emulated machine.
pictures: build
	$(call say,PICTURES,themes/*.svg)
	$(Q)B=$(B) tests/pictures

-include $(UNIT:=.d) $(LIVE:=.d) $(HELPERS:=.d) $(B)/scripted.d $(FUZZ:=.d)
