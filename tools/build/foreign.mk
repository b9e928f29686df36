# SPDX-License-Identifier: BSD-2-Clause
#
# lwIP, the TCP/IP stack: the sources that kernel/net needs, compiled as the other sources of each
# variant, but as C11 and without our warnings. They are copied from the folder LWIP to build/lwip, so that
# their paths are the same wherever the cache is.

LWIP ?= $(shell tools/build/source.sh lwip)
# Compilers do not list foreign headers as dependencies: lwIP's sources, and all that include its headers,
# depend on these files instead.
LWIP_NEEDS := $(LWIP_COPY) kernel/net/port/lwipopts.h kernel/net/port/arch/cc.h
lwip_names := lwip|netif|core|apps
LWIP_HEADERS := $(shell grep -lsE '^.include "($(lwip_names))/' $(addsuffix /*.h,$(FOLDERS)))
empty :=
LWIP_USERS := $(shell grep -lsE '^.include "(($(lwip_names))/|$(subst $(empty) $(empty),|,$(strip $(LWIP_HEADERS))))' \
    $(addsuffix /*.c,$(FOLDERS) $(addsuffix /tests,$(FOLDERS))))
$(foreach variant,image smp $(variants),$(call objects,$(variant),$(LWIP_USERS))): $(LWIP_NEEDS)

# lwip_flags FLAGS: the same flags for a foreign source.
lwip_flags = $(filter-out $(WARNINGS) -std=%,$(1)) -std=c11 -fno-strict-aliasing -w

build/lwip/from.list: FORCE
	$(call list,$(LWIP))
$(LWIP_COPY): build/lwip/from.list tools/build/foreign.mk
	@[ -f "$(LWIP)/src/include/lwip/init.h" ] || { echo 'lwip: no sources in "$(LWIP)"; see tools/build/source.sh' >&2; exit 1; }
	@rm -rf $(@D)/src
	@cp -R "$(LWIP)/src" $(@D)/src
	@cp "$(LWIP)/COPYING" $(@D)/COPYING
	@touch $@

# lwip_objects VARIANT,NAME,COMPILER,FLAGS
define lwip_objects
build/$(1)/obj/lwip/%.c.o: $(LWIP_NEEDS) $(BUILD_FILES) $(if $(filter image smp,$(1)),build/$(1)/library.list)
	$$(call step,$(2),lwip/$$*.c)
	@$(3) $$(call lwip_flags,$(4)) -c -o $$@ build/lwip/src/$$*.c
endef
$(eval $(call lwip_objects,image,CC,$(CC),$$(IMAGE_FLAGS)))
$(eval $(call lwip_objects,smp,CC,$(CC),$$(IMAGE_FLAGS) $(SMP_FLAGS)))
$(eval $(call lwip_objects,host,HOSTCC,$(CC),$$(HOST_FLAGS)))
$(eval $(call lwip_objects,host/tests,TESTCC,$(CC),$$(TEST_FLAGS)))
$(eval $(call lwip_objects,host/fuzz,FUZZCC,clang,$$(FUZZ_FLAGS) $$(FUZZ_SANITIZE)))
$(eval $(call lwip_objects,host/coverage,COVCC,clang,$$(FUZZ_FLAGS) $$(COVERAGE_FLAGS)))

# Spleen, the font of the machine's screen: kernel/screen links the glyphs, which are made here from the
# console fonts in the folder SPLEEN.

SPLEEN ?= /usr/share/consolefonts
build/spleen/from.list: FORCE
	$(call list,$(SPLEEN))
build/spleen/spleen.c: build/spleen/from.list tools/build/spleen.sh
	$(call step,SPLEEN,$@)
	@tools/build/spleen.sh '$(SPLEEN)' >$@
