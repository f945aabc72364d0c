# Installing with rights: as a program with capabilities, and as services of systemd. Included by the Makefile.

.PHONY: install-caps install-service

UNITS := lib/systemd/system

# Installs it so that it needs no root. Whoever may execute it can then count every task of the machine
# and see every process that /proc shows; CAPS_GROUP names a group that alone may.
install-caps: install
	$(if $(CAPS_GROUP),chgrp "$(CAPS_GROUP)" "$(DESTDIR)$(PREFIX)/bin/countertop")
	$(if $(CAPS_GROUP),chmod 750 "$(DESTDIR)$(PREFIX)/bin/countertop")
	setcap cap_perfmon,cap_sys_ptrace+ep "$(DESTDIR)$(PREFIX)/bin/countertop"
	@echo 'countertop: $(if $(CAPS_GROUP),the group $(CAPS_GROUP),every user) may now count the tasks of all' \
	    'users, in kernel mode too$(if $(CAPS_GROUP),,; CAPS_GROUP=name allows only a group)'

# A service for Prometheus, and the socket it answers at.
install-service: install
	sed 's|@BINDIR@|$(PREFIX)/bin|' src/service/countertop.service.in | \
	    install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/$(UNITS)/countertop.service"
	sed -n '/^# Nobody/,$$p' src/service/countertop.service.in | cat src/service/countertop-alarms.service.in - | \
	    sed 's|@BINDIR@|$(PREFIX)/bin|' | \
	    install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/$(UNITS)/countertop-alarms.service"
	install -D -m 644 src/service/countertop.socket "$(DESTDIR)$(PREFIX)/$(UNITS)/countertop.socket"
	@echo 'countertop: systemctl daemon-reload && systemctl enable --now countertop.socket countertop.service'
	@echo 'countertop: systemctl enable --now countertop-alarms.service, for recordings of what happens before and after an alarm'
