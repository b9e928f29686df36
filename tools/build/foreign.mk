# SPDX-License-Identifier: BSD-2-Clause
#
# lwIP, the TCP/IP stack: what kernel/net needs of its sources, compiled as the other sources of each
# variant are, but as C11 and without our warnings. Its sources are copied to build/lwip, so that they have
# the same paths wherever the cache is. LWIP is the folder that they are copied from.

LWIP ?= $(shell tools/build/lwip.sh)
# Compilers list no header that is not ours: these are what lwIP's and all that include its headers wait for.
LWIP_NEEDS := $(LWIP_COPY) kernel/net/port/lwipopts.h kernel/net/port/arch/cc.h
lwip_names := lwip|netif|core|apps
LWIP_HEADERS := $(shell grep -lsE '^.include "($(lwip_names))/' $(addsuffix /*.h,$(FOLDERS)))
empty :=
LWIP_USERS := $(shell grep -lsE '^.include "(($(lwip_names))/|$(subst $(empty) $(empty),|,$(strip $(LWIP_HEADERS))))' \
    $(addsuffix /*.c,$(FOLDERS) $(addsuffix /tests,$(FOLDERS))))
$(foreach variant,image $(variants),$(call objects,$(variant),$(LWIP_USERS))): $(LWIP_NEEDS)

# lwip_flags FLAGS: the same for a source that is not ours.
lwip_flags = $(filter-out $(WARNINGS) -std=%,$(1)) -std=c11 -fno-strict-aliasing -w

build/lwip/from.list: FORCE
	$(call list,$(LWIP))
$(LWIP_COPY): build/lwip/from.list tools/build/foreign.mk
	@[ -f "$(LWIP)/src/include/lwip/init.h" ] || { echo 'lwip: no sources in "$(LWIP)"; see tools/build/lwip.sh' >&2; exit 1; }
	@rm -rf $(@D)/src
	@cp -R "$(LWIP)/src" $(@D)/src
	@cp "$(LWIP)/COPYING" $(@D)/COPYING
	@touch $@

build/image/obj/lwip/%.c.o: $(LWIP_NEEDS) $(BUILD_FILES) build/image/library.list
	@mkdir -p $(@D)
	@echo '  CC      lwip/$*.c'
	@$(CC) $(call lwip_flags,$(IMAGE_FLAGS)) -c -o $@ build/lwip/src/$*.c
build/host/obj/lwip/%.c.o: $(LWIP_NEEDS) $(BUILD_FILES)
	@mkdir -p $(@D)
	@echo '  HOSTCC  lwip/$*.c'
	@$(CC) $(call lwip_flags,$(HOST_FLAGS)) -c -o $@ build/lwip/src/$*.c
build/host/tests/obj/lwip/%.c.o: $(LWIP_NEEDS) $(BUILD_FILES)
	@mkdir -p $(@D)
	@echo '  TESTCC  lwip/$*.c'
	@$(CC) $(call lwip_flags,$(TEST_FLAGS)) -c -o $@ build/lwip/src/$*.c
build/host/fuzz/obj/lwip/%.c.o: $(LWIP_NEEDS) $(BUILD_FILES)
	@mkdir -p $(@D)
	@echo '  FUZZCC  lwip/$*.c'
	@clang $(call lwip_flags,$(FUZZ_FLAGS)) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ build/lwip/src/$*.c
build/host/coverage/obj/lwip/%.c.o: $(LWIP_NEEDS) $(BUILD_FILES)
	@mkdir -p $(@D)
	@echo '  COVCC   lwip/$*.c'
	@clang $(call lwip_flags,$(FUZZ_FLAGS)) -fsanitize=fuzzer-no-link,address $(COVERAGE_FLAGS) -c -o $@ build/lwip/src/$*.c

# Spleen, the font of the machine's screen: kernel/screen links the glyphs that are made here of the
# console fonts in the folder SPLEEN.

SPLEEN ?= /usr/share/consolefonts
build/spleen/from.list: FORCE
	$(call list,$(SPLEEN))
build/spleen/spleen.c: build/spleen/from.list tools/build/spleen.sh
	@mkdir -p $(@D)
	@echo '  SPLEEN  $@'
	@tools/build/spleen.sh '$(SPLEEN)' >$@
