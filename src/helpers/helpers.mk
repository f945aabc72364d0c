# The programs that countertop starts for parts of its work. Included by the Makefile.

# A helper loads only the libraries that it uses, so that it starts soon.
$(LIBEXEC): $(B)/countertop-%: $(B)/obj/helpers/%.o $(B)/libcountertop.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,--as-needed -o $@ $< $(B)/libcountertop.a $(LIBS)

# Copies of them, without symbols, are a part of countertop: it can be copied alone.
$(B)/obj/copies/countertop-%: $(B)/obj/helpers/%.o $(B)/libcountertop.a
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,--as-needed -Wl,-s -o $@ $< $(B)/libcountertop.a $(LIBS)

# Else make removes them at its end, and says so below the last line of `make deps run`.
.SECONDARY: $(LIBEXEC:$(B)/countertop-%=$(B)/obj/helpers/%.o)

COPIES := $(LIBEXEC:$(B)/%=$(B)/obj/copies/%)
$(B)/obj/copies.c: $(COPIES) src/helpers/helpers.mk
	$(call say,EMBED,$@)
	$(Q){ echo '#include "system/helper.h"'; n=0; for f in $(COPIES); do n=$$((n + 1)); \
	    printf '__asm__(".pushsection .rodata; copy_%s: .incbin \\"%s\\"; copy_end_%s: .popsection");\n' $$n $$f $$n; \
	    echo "extern const char copy_$$n[], copy_end_$$n[];"; done; n=0; \
	    echo 'const struct helper_copy helper_copies[] = {'; for f in $(COPIES); do n=$$((n + 1)); \
	    echo "    {\"$${f##*/}\", copy_$$n, copy_end_$$n},"; done; echo '    {0}};'; } >$@

$(B)/obj/copies.o: $(B)/obj/copies.c $(B)/flags
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# What is built for another PREFIX is other.
$(B)/obj/system/helper.o: ALL_CFLAGS += -DLIBEXECDIR='"$(LIBEXECDIR)"'
$(B)/obj/system/helper.o: $(B)/libexecdir

$(B)/libexecdir: FORCE | $(FIRST) $(B)/packages
	@echo '$(LIBEXECDIR)' | cmp -s - $@ || echo '$(LIBEXECDIR)' > $@
