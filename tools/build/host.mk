# SPDX-License-Identifier: BSD-2-Clause
#
# The host program: an archive for each module, and the program linked from them.

# Lines of the source are enough: nothing reads variables of the host program.
HOST_FLAGS := $(COMMON_FLAGS) -g1 -D_GNU_SOURCE
HOST_LIBS := $(sort $(foreach module,$(HOST_MODULES),$(libs.$(module)))) -lm

build/host/obj/%.c.o: %.c $(BUILD_FILES)
	$(call step,HOSTCC,$<)
	@$(CC) $(HOST_FLAGS) -c -o $@ $<
build/host/obj/%.S.o: %.S $(BUILD_FILES)
	$(call step,HOSTAS,$<)
	@$(CC) $(HOST_FLAGS) -c -o $@ $<

# The charts of the report's page.
UPLOT ?= $(shell tools/build/npm.sh uplot)
UPLOT_FILES := $(addprefix build/uplot/,uPlot.iife.min.js uPlot.min.css LICENSE)
$(UPLOT_FILES) &: tools/build/npm.sh
	@mkdir -p $(@D)
	@cp $(addprefix $(UPLOT)/,$(notdir $(UPLOT_FILES))) $(@D)
	@touch $(UPLOT_FILES)

# archive VARIANT,MODULE: an archive of a module's objects; it contains their paths, not the objects.
archive = build/$(1)/lib/$(subst /,-,$(2)).a
variants := host host/tests host/fuzz host/coverage
define module_archive
$$(call archive,$(1),$(2)): $$(call objects,$(1),$$(call module_sources,$(2))) \
    $$(call foreign_objects,$(1),$(2))
	@mkdir -p $$(@D)
	@rm -f $$@
	@$$(AR) rcsT $$@ $$^
endef
$(foreach module,$(HOST_MODULES) $(IMAGE_FOLDERS) $(TEST_MODULES) $(PLUGIN_MODULE),$(foreach variant,$(variants), \
    $(eval $(call module_archive,$(variant),$(module)))))

# Objects that only tests have: linked where a test refers to them.
tested_archive = build/$(1)/lib/$(subst /,-,$(2))-tested.a
define tested_module
$$(call tested_archive,$(1),$(2)): $$(call objects,$(1),$$(tested.$(2)))
	@mkdir -p $$(@D)
	@rm -f $$@
	@$$(AR) rcsT $$@ $$^
endef
$(foreach module,$(IMAGE_FOLDERS),$(if $(tested.$(module)),$(foreach variant,$(variants), \
    $(eval $(call tested_module,$(variant),$(module))))))

# Files that an assembler source includes: needs.NAME of the table of modules.
define assembled
$$(foreach variant,$$(variants),build/$$(variant)/obj/$(1).o): $$(needs.$$(basename $$(notdir $(1))))
endef
$(foreach source,$(filter %.S,$(foreach module,$(HOST_MODULES),$(call module_sources,$(module)))), \
    $(eval $(call assembled,$(source))))

# Benches that run under Linux are linked in the order of their names, as in the image.
HOST_SOURCES := $(foreach module,$(HOST_MODULES),$(call module_sources,$(module))) $(PURE_SOURCES) \
    $(HOSTED_SOURCES)
HOST_OBJECTS := $(call objects,host,$(HOST_SOURCES))
HOST_ARCHIVES := $(foreach module,$(HOST_MODULES),$(call archive,host,$(module)))
HOSTED_OBJECTS := $(call objects,host,$(PURE_SOURCES) $(HOSTED_SOURCES)) \
    $(foreach folder,$(IMAGE_FOLDERS),$(call foreign_objects,host,$(folder)))
build/host/objects.list: FORCE
	$(call list,$(HOST_OBJECTS))
build/tare: $(HOST_ARCHIVES) $(HOSTED_OBJECTS) build/host/objects.list
	@echo '  HOSTLD  $@'
	@$(CC) -o $@ -Wl,--whole-archive $(HOST_ARCHIVES) -Wl,--no-whole-archive $(HOSTED_OBJECTS) \
	    $(HOST_LIBS)

-include $(HOST_OBJECTS:.o=.d)

# The plugins of QEMU, one shared object for each range of versions of QEMU's interface: see
# tools/qemu/plugin/plugin_api.h. They need no files of QEMU to be built or linked.

PLUGIN_VERSIONS := 1 2
PLUGINS := $(foreach version,$(PLUGIN_VERSIONS),build/plugin/count-$(version).so build/plugin/exits-$(version).so)
PLUGIN_BUILD = $(CC) $(filter-out -MMD -MP,$(COMMON_FLAGS)) $(MAP_FLAGS) -fPIC -fvisibility=hidden -shared \
    -Wl,--build-id=none -DPLUGIN_VERSION=$* -o $@ $(filter %.c,$^)

$(PLUGINS): $(PLUGIN_MODULE)/instruction.c $(wildcard $(PLUGIN_MODULE)/*.h) tools/qemu/rows.h $(BUILD_FILES)
build/plugin/count-%.so: $(PLUGIN_MODULE)/plugin.c
	$(call step,PLUGIN,$@)
	@$(PLUGIN_BUILD)
build/plugin/exits-%.so: $(PLUGIN_MODULE)/exits.c
	$(call step,PLUGIN,$@)
	@$(PLUGIN_BUILD)

tools: $(PLUGINS)
