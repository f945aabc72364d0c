# The emulated machines: their packages, and the program and its helpers for them. Included by tests/tests.mk.

# That of arm64 is made of Debian's packages.
TESTBED := $(shell grep -qs '^ID=debian' /etc/os-release && echo arm64)

.PHONY: arm64 riscv64

arm64: | $(FIRST)
	$(call machine,arm64,aarch64-linux-gnu)

# Needs gcc-riscv64-linux-gnu and qemu-system-misc, and a release with packages for it (Debian 13).
riscv64:
	$(call machine,riscv64,riscv64-linux-gnu)

machine = +@tests/pmu/sysroot $(1) build-$(1)/sysroot && \
    $(MAKE) B=build-$(1) CC='$(2)-gcc --sysroot=build-$(1)/sysroot' build helpers \
        PKG_CONFIG='env PKG_CONFIG_SYSROOT_DIR=build-$(1)/sysroot \
            PKG_CONFIG_LIBDIR=build-$(1)/sysroot/usr/lib/$(2)/pkgconfig pkg-config'
