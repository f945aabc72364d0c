# How the compiler is called: warnings, packages, hardening. Included by the Makefile.

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef
PKGS := ncursesw sqlite3 libelf libdw jansson zlib
# Zydis disassembles x86; for other processors objdump(1) is started. Asked once, as below.
X86 = $(eval X86 := $$(findstring 86,$$(shell $$(CC) -dumpmachine 2>/dev/null)))$(X86)
HEADERS = perfmon/pfmlib.h $(if $(X86),Zydis/Zydis.h)
# Asked once, and not before make deps has installed them.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell $$(PKG_CONFIG) --cflags $$(PKGS)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell $$(PKG_CONFIG) --libs $$(PKGS)))$(PKG_LIBS)
# Hardening: what of it the compiler has for its processor, and what does not contradict the flags of the
# user, such as a second level of _FORTIFY_SOURCE. Fortified functions would hide calls from sanitizers.
HARDEN := -fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard \
          $(if $(SANITIZE),,-D_FORTIFY_SOURCE=3 -D_FORTIFY_SOURCE=2)
# The same binary from whichever folder.
REPRODUCIBLE = "-ffile-prefix-map=$(CURDIR)=."
HARDEN_LD := -pie -Wl,-z,relro -Wl,-z,now
# Those flags with which a program compiles without a warning, each tried with the ones before it.
accepted = $(shell kept=; for flag in $(1); do echo 'int main(void) { return 0; }' | \
    $(CC) -Werror $(OPT) $$kept $$flag $(SANITIZE) $(CPPFLAGS) $(CFLAGS) $(2) -include stdio.h -o /dev/null -x c - \
    2>/dev/null && kept="$$kept $$flag"; done; echo "$$kept")
# Asked once, as above.
HARDEN_CFLAGS = $(eval HARDEN_CFLAGS := $$(call accepted,$$(HARDEN),-c))$(HARDEN_CFLAGS)
HARDEN_LDFLAGS = $(eval HARDEN_LDFLAGS := $$(call accepted,$$(HARDEN_LD),-fPIE $$(LDFLAGS)))$(HARDEN_LDFLAGS)
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DCOUNTERTOP_VERSION='"$(VERSION)"' -Isrc $(WARN) $(OPT) -pthread \
             $(HARDEN_CFLAGS) $(REPRODUCIBLE) $(PKG_CFLAGS) $(SANITIZE) $(CPPFLAGS) $(CFLAGS)
# The functions of workloads keep their names in a stripped program, too.
ALL_LDFLAGS = -pthread $(HARDEN_LDFLAGS) -Wl,--export-dynamic-symbol=demo_* $(SANITIZE) $(LDFLAGS)
LIBS = $(PKG_LIBS) $(if $(X86),-lZydis) -liberty -lm -ldl
