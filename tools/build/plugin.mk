# SPDX-License-Identifier: BSD-2-Clause
#
# The plugin of QEMU, a shared object for each range of versions of QEMU's interface: see
# tools/qemu/plugin/plugin_api.h. It needs none of QEMU's files, neither to be built nor to be linked.

PLUGIN_VERSIONS := 1 2
PLUGINS := $(patsubst %,build/plugin/count-%.so,$(PLUGIN_VERSIONS))
PLUGIN_SOURCES := $(call all_sources,$(PLUGIN_ROOM))

build/plugin/count-%.so: $(PLUGIN_SOURCES) $(wildcard $(PLUGIN_ROOM)/*.h) tools/qemu/rows.h $(BUILD_FILES)
	@mkdir -p $(@D)
	@echo '  PLUGIN  $@'
	@$(CC) $(filter-out -MMD -MP,$(COMMON_FLAGS)) $(MAP_FLAGS) -fPIC -fvisibility=hidden -shared \
	    -Wl,--build-id=none -DPLUGIN_VERSION=$* -o $@ $(PLUGIN_SOURCES)

tools: $(PLUGINS)
