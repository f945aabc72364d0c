# Other processors, with unit tests under an emulator: make ports T='s390x armhf'. Included by tests/tests.mk.
ports:
	+@tests/ports/run $(T)
