# countertop. The commands: make [build], run, manual, format, dist, install, install-caps, install-service, uninstall, deps, clean;
# of tests/tests.mk and what it includes: test, check, coverage, bench, asan, fuzz, pictures, arm64, riscv64, ports, test-deps, check-deps.
# V=1 shows every command. Without -j as many run at once as there are CPUs. Each configuration has a build directory of its own: build, build-asan, build-arm64.

VERSION := 1.0.0
PREFIX ?= /usr/local
DESTDIR ?=
B ?= build
# Where helpers are installed (src/system/helper.h).
LIBEXECDIR = $(PREFIX)/libexec/countertop
# Software centres know a program by a name like org.example.countertop, below a domain of whoever publishes
# it, and by a homepage: with both its AppStream metadata is installed, too.
APP_ID ?=
APP_URL ?=

CC ?= cc
PKG_CONFIG ?= pkg-config
OPT ?= -O3 -g
include src/flags.mk

V ?= 0
ifeq ($(V),0)
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)'
else
Q :=
say = @:
endif

SRC := $(shell find src -name '*.c' | LC_ALL=C sort)
LIB_SRC := $(filter-out src/main.c src/helpers/%,$(SRC))
LIBEXEC := $(patsubst src/helpers/%.c,$(B)/countertop-%,$(filter src/helpers/%,$(SRC)))
OBJ := $(SRC:src/%.c=$(B)/obj/%.o) $(B)/obj/embedded.o
LIB_OBJ := $(LIB_SRC:src/%.c=$(B)/obj/%.o) $(B)/obj/embedded.o
EMBED := $(sort $(wildcard src/screens/*.ini src/cli/templates/*.in src/event/*.txt src/front/flamegraph.* src/record/*.sql)) \
         $(sort $(wildcard themes/*.theme)) src/app/starter.sh src/cli/countertop.1.in src/cli/options.conf src/demo/workloads.conf src/front/tui/keys.conf src/front/tui/help.conf \
         src/report/dashboard.json src/report/rules.yml src/system/arm-cores.txt
# Where they are installed.
MANUAL := share/man/man1/countertop.1
BASH_COMPLETION := share/bash-completion/completions/countertop
FISH_COMPLETION := share/fish/vendor_completions.d/countertop.fish
ZSH_COMPLETION := share/zsh/site-functions/_countertop
MENU_ENTRY := share/applications/countertop.desktop
ICON := share/icons/hicolor/scalable/apps/countertop.svg
METAINFO := $(if $(and $(APP_ID),$(APP_URL)),share/metainfo/$(APP_ID).metainfo.xml)
# What `make deps run` and `make test-deps test` have to install before anything else is done.
FIRST := $(filter deps test-deps check-deps,$(MAKECMDGOALS))
MAKEFLAGS += --no-print-directory
# The makes that this one starts share its jobs.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += $(shell case " $$MAKEFLAGS" in (*' -j'*) ;; (*) echo "-j$$(nproc 2>/dev/null || echo 1)" ;; esac)
endif

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: build run manual format dist install uninstall deps test-deps check-deps clean FORCE

build: $(B)/countertop $(LIBEXEC)

run: build
	@$(B)/countertop $(if $(REPLAY),--replay tests/data/recording/demo.db) && echo "that was $(B)/countertop; 'make install' puts it into $(PREFIX)/bin"

$(B)/countertop: $(B)/obj/main.o $(B)/obj/copies.o $(B)/libcountertop.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/libcountertop.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/obj/%.o: src/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The compiled-in screens, themes and templates: each file as one string, found by its name. A folder
# changes when one of its files is removed.
$(B)/obj/embedded.c: $(EMBED) src/screens themes Makefile | $(B)/packages
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk 'BEGIN { print "#include \"base/embed.h\"\nconst struct embedded_file embedded_files[] = {" } \
	    FNR == 1 { if (NR > 1) print "    },"; n = FILENAME; sub(/.*\//, "", n); printf "    {\"%s\",\n", n } \
	    { gsub(/\\/, "&&"); gsub(/"/, "\\\""); printf "     \"%s\\n\"\n", $$0 } \
	    END { print "    },\n    {0, 0},\n};" }' $(EMBED) > $@

$(B)/obj/embedded.o: $(B)/obj/embedded.c $(B)/flags
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Where something is missing that make deps installs, says that before a compiler complains.
$(B)/packages: | $(FIRST)
	@mkdir -p $(@D)
	@{ $(PKG_CONFIG) --exists $(PKGS) && printf '#include <%s>\n' stdio.h $(HEADERS) | \
	    $(CC) $(SANITIZE) $(CPPFLAGS) $(CFLAGS) -E -o $@ -x c -; } 2>/dev/null || \
	    { echo "cannot build: packages are missing; 'make deps' installs them" >&2; exit 1; }

# Rebuilds what was built with other flags or another compiler.
$(B)/flags: FORCE | $(FIRST) $(B)/packages
	@mkdir -p $(@D)
	@echo '$(CC) $(subst ','\'',$(ALL_CFLAGS)) $(ALL_LDFLAGS)' | cmp -s - $@ || \
	    echo '$(CC) $(subst ','\'',$(ALL_CFLAGS)) $(ALL_LDFLAGS)' > $@

# All only install what is missing: what building needs; what `make test` needs too; what `make check` needs
# too, of which programs whose packages would start a server are put into build-tools.
deps:
	@tests/lib/deps build

test-deps: | $(filter deps,$(FIRST))
	@tests/lib/deps test

check-deps: | $(filter deps test-deps,$(FIRST))
	@tests/lib/deps check
	@$(if $(TESTBED),tests/pmu/sysroot arm64 build-arm64/sysroot)

-include $(OBJ:.o=.d)
include src/helpers/helpers.mk
include src/service/service.mk
-include tests/tests.mk

# Lays out all sources; layout.t checks it. Version 14 is that of Debian 12.
format:
	$(call say,FORMAT,src tests)
	$(Q)clang-format -i $(SRC) $(shell find src tests -name '*.h') $(sort $(wildcard tests/*/*.c))

# The sources of the last commit, to be built without git.
dist:
	$(Q)mkdir -p $(B)
	$(Q)git archive --format=tar.gz --prefix=countertop-$(VERSION)/ -o $(B)/countertop-$(VERSION).tar.gz HEAD
	@echo $(B)/countertop-$(VERSION).tar.gz

# The page in the tree, from its template and the tables of the program.
manual: build
	$(call say,MANUAL,src/cli/countertop.1)
	$(Q)$(B)/countertop --manual > $(B)/countertop.1 && cp $(B)/countertop.1 src/cli/

install: build
	install -D -m 755 $(B)/countertop "$(DESTDIR)$(PREFIX)/bin/countertop"
	install -d -m 755 "$(DESTDIR)$(LIBEXECDIR)"
	install -m 755 $(LIBEXEC) "$(DESTDIR)$(LIBEXECDIR)"
	install -D -m 644 src/cli/countertop.1 "$(DESTDIR)$(PREFIX)/$(MANUAL)"
	$(B)/countertop --completion bash | install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/$(BASH_COMPLETION)"
	$(B)/countertop --completion fish | install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/$(FISH_COMPLETION)"
	$(B)/countertop --completion zsh | install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/$(ZSH_COMPLETION)"
	install -D -m 644 src/desktop/countertop.desktop "$(DESTDIR)$(PREFIX)/$(MENU_ENTRY)"
	install -D -m 644 src/desktop/countertop.svg "$(DESTDIR)$(PREFIX)/$(ICON)"
	$(if $(METAINFO),sed 's|@APP_ID@|$(APP_ID)|; s|@APP_URL@|$(APP_URL)|; s|@VERSION@|$(VERSION)|' src/desktop/countertop.metainfo.xml.in | \
	    install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/$(METAINFO)")
	install -D -m 644 tests/data/recording/demo.db "$(DESTDIR)$(PREFIX)/share/countertop/demo.db"
	for f in themes/*.theme; do \
	    install -D -m 644 $$f "$(DESTDIR)$(PREFIX)/share/countertop/$$f" || exit 1; \
	done

uninstall:
	rm -f $(foreach f,bin/countertop $(addprefix $(UNITS)/countertop,.service .socket -alarms.service) $(MANUAL) $(BASH_COMPLETION) $(FISH_COMPLETION) $(ZSH_COMPLETION) $(MENU_ENTRY) \
	    $(ICON) $(METAINFO),"$(DESTDIR)$(PREFIX)/$(f)")
	rm -rf "$(DESTDIR)$(PREFIX)/share/countertop" "$(DESTDIR)$(LIBEXECDIR)"

clean:
	rm -rf build $(filter-out build-tools,$(wildcard build-*))
