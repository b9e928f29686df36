# SPDX-License-Identifier: BSD-2-Clause
#
# Foreign sources, compiled as the other sources of each variant, but as C11 and without our warnings:
# lwIP, the TCP/IP stack of kernel/net, and qrcodegen, the generator of QR codes of kernel/screen. They are
# copied from the folders LWIP and QRCODEGEN to build/, so that their paths are the same wherever the cache is.

LWIP ?= $(shell tools/build/source.sh lwip)
QRCODEGEN ?= $(shell tools/build/source.sh qrcodegen)
# Compilers do not list foreign headers as dependencies: foreign sources, and all that include their
# headers, depend on these files instead.
LWIP_NEEDS := $(LWIP_COPY) kernel/net/port/lwipopts.h kernel/net/port/arch/cc.h
lwip_names := lwip|netif|core|apps
LWIP_HEADERS := $(shell grep -lsE '^.include "($(lwip_names))/' $(addsuffix /*.h,$(FOLDERS)))
empty :=
LWIP_USERS := $(shell grep -lsE '^.include "(($(lwip_names))/|$(subst $(empty) $(empty),|,$(strip $(LWIP_HEADERS))))' \
    $(addsuffix /*.c,$(FOLDERS) $(addsuffix /tests,$(FOLDERS))))
$(foreach variant,image smp $(variants),$(call objects,$(variant),$(LWIP_USERS))): $(LWIP_NEEDS)
$(foreach variant,image smp $(variants),$(call objects,$(variant),kernel/screen/code.c)): $(QRCODEGEN_COPY)

# foreign_flags FLAGS: the same flags for a foreign source. NDEBUG: the image has no abort().
foreign_flags = $(filter-out $(WARNINGS) -std=%,$(1)) -std=c11 -fno-strict-aliasing -DNDEBUG -w

# foreign_copy NAME,VARIABLE,SUBFOLDER,PROOF,LICENCE: VARIABLE names the folder.
define foreign_copy
build/$(1)/from.list: FORCE
	$$(call list,$$($(2)))
build/$(1)/copied: build/$(1)/from.list tools/build/foreign.mk
	@[ -f "$$($(2))/$(3)/$(4)" ] || { echo '$(1): no sources in "$$($(2))"; see tools/build/source.sh' >&2; exit 1; }
	@rm -rf $$(@D)/src
	@cp -R "$$($(2))/$(3)" $$(@D)/src
	@cp "$$($(2))/$(5)" $$(@D)/COPYING
	@touch $$@
endef
$(eval $(call foreign_copy,lwip,LWIP,src,include/lwip/init.h,COPYING))
$(eval $(call foreign_copy,qrcodegen,QRCODEGEN,c,qrcodegen.h,Readme.markdown))

# foreign_objects_of VARIANT,LIBRARY,NEEDS,NAME,COMPILER,FLAGS
define foreign_objects_of
build/$(1)/obj/$(2)/%.c.o: $(3) $(BUILD_FILES) $(if $(filter image smp,$(1)),build/$(1)/library.list)
	$$(call step,$(4),$(2)/$$*.c)
	@$(5) $$(call foreign_flags,$(6)) -c -o $$@ build/$(2)/src/$$*.c
endef
define foreign_library
$(eval $(call foreign_objects_of,image,$(1),$(2),CC,$(CC),$$(IMAGE_FLAGS)))
$(eval $(call foreign_objects_of,smp,$(1),$(2),CC,$(CC),$$(IMAGE_FLAGS) $(SMP_FLAGS)))
$(eval $(call foreign_objects_of,host,$(1),$(2),HOSTCC,$(CC),$$(HOST_FLAGS)))
$(eval $(call foreign_objects_of,host/tests,$(1),$(2),TESTCC,$(CC),$$(TEST_FLAGS)))
$(eval $(call foreign_objects_of,host/fuzz,$(1),$(2),FUZZCC,clang,$$(FUZZ_FLAGS) $$(FUZZ_SANITIZE)))
$(eval $(call foreign_objects_of,host/coverage,$(1),$(2),COVCC,clang,$$(FUZZ_FLAGS) $$(COVERAGE_FLAGS)))
endef
$(eval $(call foreign_library,lwip,$(LWIP_NEEDS)))
$(eval $(call foreign_library,qrcodegen,$(QRCODEGEN_COPY)))
# 5 kB less in the image; a code takes about 1 ms.
build/image/obj/qrcodegen/%.c.o build/smp/obj/qrcodegen/%.c.o: IMAGE_FLAGS += -Os

# The one source in C++, because zxing-cpp has no C interface in Debian 12.
build/%/obj/tools/shots/read_code.c.o: tools/shots/read_code.cc tools/shots/read_code.h $(BUILD_FILES)
	$(call step,HOSTCXX,$<)
	@g++ -std=c++17 -O2 -g -fPIC -I. -w -c -o $@ $<

# Spleen, the font of the machine's screen: kernel/screen links the glyphs, which are made here from the
# console fonts in the folder SPLEEN.

SPLEEN ?= /usr/share/consolefonts
build/spleen/from.list: FORCE
	$(call list,$(SPLEEN))
build/spleen/spleen.c: build/spleen/from.list tools/build/spleen.sh
	$(call step,SPLEEN,$@)
	@tools/build/spleen.sh '$(SPLEEN)' >$@
