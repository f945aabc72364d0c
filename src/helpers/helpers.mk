# The programs that countertop starts for parts of its work. Included by the Makefile.

# A helper loads only the libraries that it uses, so that it starts soon.
$(LIBEXEC): $(B)/countertop-%: $(B)/obj/helpers/%.o $(B)/libcountertop.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,--as-needed -o $@ $< $(B)/libcountertop.a $(LIBS)

# What is built for another PREFIX is other.
$(B)/obj/system/helper.o: ALL_CFLAGS += -DLIBEXECDIR='"$(LIBEXECDIR)"'
$(B)/obj/system/helper.o: $(B)/libexecdir

$(B)/libexecdir: FORCE | $(FIRST) $(B)/packages
	@echo '$(LIBEXECDIR)' | cmp -s - $@ || echo '$(LIBEXECDIR)' > $@
