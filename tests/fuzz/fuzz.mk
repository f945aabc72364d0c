# Sanitizers and fuzzers. Included by tests/tests.mk.

FUZZ_SRC := $(sort $(wildcard tests/fuzz/*_fuzz.c))
FUZZ := $(FUZZ_SRC:tests/fuzz/%.c=$(B)/%)

.PHONY: asan fuzz fuzzers

fuzzers: $(FUZZ)

$(B)/%_fuzz: tests/fuzz/%_fuzz.c $(B)/libcountertop.a
	$(call say,FUZZ,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -Itests -MMD -MP \
	    $(ALL_LDFLAGS) -o $@ $< $(B)/libcountertop.a $(LIBS)

# The same sources with sanitizers, and as libFuzzer programs.
# libubsan as a shared library writes no report where UBSAN_OPTIONS=log_path says: tests/lib/sanitized.
asan: | $(FIRST)
	@$(MAKE) B=build-asan OPT='-O1 -g1 -fno-omit-frame-pointer' build unit helpers \
	    SANITIZE='-fsanitize=address,undefined -static-libubsan -fno-sanitize-recover=undefined'

fuzz: | $(FIRST)
	@$(MAKE) B=build-fuzz CC=clang OPT='-O1 -g' fuzzers \
	    SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'

-include $(FUZZ:=.d)
