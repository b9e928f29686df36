# SPDX-License-Identifier: BSD-2-Clause
#
# Checks of the sources: layout, clang-tidy, cppcheck.

folders := $(wildcard boot kernel bench tools)
C_FILES := $(if $(folders),$(shell find $(folders) -name '*.[ch]' | LC_ALL=C sort))

# clang uses its own headers (stdint.h, cpuid.h, ...) instead of those of gcc.
TIDY_IMAGE_FLAGS := --target=x86_64-unknown-none-elf -std=gnu17 -I. $(FOREIGN_INCLUDES) -ffreestanding -nostdlibinc \
    -isystem $(PICOLIBC)/include -mgeneral-regs-only
# The path analyzer examines a quarter of its default number of nodes for each function: it spends nearly
# all of its time on a few functions with many branches. `make test` examines a seventh of that.
TIDY_NODES ?= 56250
TIDY_BUDGET := -Xclang -analyzer-config -Xclang max-nodes=$(TIDY_NODES)
LINT_JOBS ?= $(shell nproc)
TIDY_HOST_FLAGS := -std=gnu17 -I. $(FOREIGN_INCLUDES) -D_GNU_SOURCE -DGNU_EFI_USE_MS_ABI -DPLUGIN_VERSION=1 \
    -isystem $(GNU_EFI_INCLUDE) -isystem $(GNU_EFI_INCLUDE)/x86_64
# comparePointers: the ends of a linker section look like two objects.
CPPCHECK := cppcheck -q -j$(LINT_JOBS) --enable=warning,performance,portability \
    --error-exitcode=1 --inline-suppr --std=c11 --platform=unix64 --library=gnu -I. \
    --suppress=missingInclude --suppress=missingIncludeSystem --suppress=comparePointers

# clang-tidy gets one file at a time, because version 14 reports
# every va_list after the first file as uninitialised. It prints the number of suppressed warnings
# to stderr and its findings to stdout. A file without findings is checked again only if the file,
# a header that it includes, or the set of checks has changed. So that this holds for other folders too,
# the cache has an empty file for each such file without findings, named by a checksum of all this.
# Debian has no Cimba, hence no header for cimba_model.c.
LINT_CACHE := $(or $(TARE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tare)/lint
in_batches = printf '%s\n' $(1) | xargs -r -n $(2) -P $(LINT_JOBS)
TIDY_FOLDER := build/tidy/$(TIDY_NODES)
TIDY_CLEAN := $(patsubst %,$(TIDY_FOLDER)/%.clean,$(filter-out %/cimba_model.c,$(filter %.c,$(C_FILES))))
TIDY_BOOT_FLAGS := $(TIDY_IMAGE_FLAGS) $(filter-out -m%,$(BOOT_FLAGS))
build/tidy/flags.list: FORCE
	$(call list,$(TIDY_HOST_FLAGS) $(TIDY_BOOT_FLAGS) $(shell clang-tidy --version))
# Tests run on the host, under sanitizers: the path analyzer, which needs nearly all of clang-tidy's time,
# runs only on code that ships. Sources of the image are checked as tare-smp.efi has them, which is nearly
# all that tare.efi has.
is_test = $(findstring /tests/,$(1))
tidy_flags = $(if $(or $(call is_test,$(1)),$(filter tools/%,$(1)),$(findstring /host/,$(1))),$(TIDY_HOST_FLAGS), \
    $(if $(filter boot/%,$(1)),$(TIDY_BOOT_FLAGS),$(TIDY_IMAGE_FLAGS) $(SMP_FLAGS)))
tidy_checks = $(if $(call is_test,$(1)),--checks=-clang-analyzer-*)
$(TIDY_FOLDER)/%.clean: % .clang-tidy build/tidy/flags.list | $(LWIP_COPY) $(QRCODEGEN_COPY)
	@mkdir -p $(@D)
	@$(CC) $(subst -isystem build,-I build,$(subst -isystem kernel,-I kernel,$(filter-out --target=% -nostdlibinc,$(call tidy_flags,$<)))) -MM -MP -MT $@ -MF $(@:.clean=.d) $<
	@mkdir -p $(LINT_CACHE); \
	known=$(LINT_CACHE)/$$({ sha256sum $< .clang-tidy build/tidy/flags.list $$(sed -n 's/:$$//p' $(@:.clean=.d)) && \
	    echo '$(call tidy_checks,$<) $(call tidy_flags,$<) $(TIDY_BUDGET)'; } | sha256sum | cut -c -64) && { [ -e $$known ] || \
	    clang-tidy --quiet $(call tidy_checks,$<) $< -- $(call tidy_flags,$<) $(TIDY_BUDGET) 2>/dev/null; } && touch $$known $@
.PHONY: tidy-clean
tidy-clean: $(TIDY_CLEAN)
ifneq ($(filter tidy-clean,$(MAKECMDGOALS)),)
-include $(TIDY_CLEAN:.clean=.d)
endif
-include $(patsubst %.clean,%.d,$(filter %.clean,$(MAKECMDGOALS)))

.PHONY: lint-names lint-modules lint-cycles lint-format lint-tidy lint-cppcheck lint-counts lint-links lint-lists
lint: lint-names lint-modules lint-cycles lint-links lint-lists lint-format lint-tidy lint-cppcheck lint-counts
lint-links:
	@tools/build/links.sh
lint-lists: | $(LWIP_COPY) $(QRCODEGEN_COPY)
	@tools/build/readme_lists.sh
lint-names:
	@tools/build/names.sh
lint-modules:
	@tools/build/modules.sh
lint-cycles:
	@tools/build/cycles.sh $(FOLDERS)
	@tools/build/cycles.sh --folders boot kernel bench tools
lint-counts:
	@tools/build/counts.sh
lint-format:
	@echo '  FORMAT  $(words $(C_FILES)) files'
	@$(call in_batches,$(C_FILES),8) clang-format --dry-run -Werror
lint-tidy:
	@echo '  TIDY    $(words $(C_FILES)) files'
	@find $(LINT_CACHE) -maxdepth 1 -type f -mtime +30 -delete 2>/dev/null; $(MAKE) --keep-going tidy-clean
lint-cppcheck:
	@echo '  CPPCHK  $(words $(C_FILES)) files'
	@mkdir -p $(LINT_CACHE)/cppcheck
	@flock $(LINT_CACHE)/cppcheck $(CPPCHECK) --cppcheck-build-dir=$(LINT_CACHE)/cppcheck $(filter %.c,$(C_FILES))

# Checks FILE, or the files that differ from the last commit: layout, table of modules, clang-tidy with the
# budget of `make test`, and the unit tests of the modules. clang-tidy sees a header in a source that includes it.
ifneq ($(filter check,$(MAKECMDGOALS)),)
CHECKED := $(or $(FILE:./%=%),$(shell git diff --name-only HEAD; git ls-files --others --exclude-standard))
$(if $(FILE),$(if $(wildcard $(FILE)),,$(error check: no file $(FILE))))
CHECKED_C := $(filter $(CHECKED),$(C_FILES))
including = $(firstword $(wildcard $(1:.h=.c)) $(shell grep -lF '"$(1)"' $(C_FILES)))
CHECKED_SOURCES := $(filter %.c,$(sort $(filter %.c,$(CHECKED_C)) \
    $(foreach header,$(filter %.h,$(CHECKED_C)),$(call including,$(header)))))
CHECKED_MODULES := $(patsubst %/tests,%,$(patsubst %/,%,$(sort $(dir $(filter %.c %.h %.S %.def,$(CHECKED))))))
CHECKED_PROGRAMS := $(filter $(foreach module,$(CHECKED_MODULES), \
    $(foreach source,$(call unit_tests,$(module)),$(call program,tests,$(source)))),$(UNIT_PROGRAMS))
endif
.PHONY: check
check: $(CHECKED_PROGRAMS)
	@$(if $(CHECKED_C),clang-format --dry-run -Werror $(CHECKED_C))
	@tools/build/modules.sh
	@$(if $(CHECKED_SOURCES),$(MAKE) --keep-going TIDY_NODES=8000 \
	    $(CHECKED_SOURCES:%=build/tidy/8000/%.clean))
	@$(if $(CHECKED_PROGRAMS),TEST_RESULTS=build/check tools/tests/run.sh $(notdir $(CHECKED_PROGRAMS)))
	@echo 'check: good: $(words $(CHECKED_C)) C files, clang-tidy of $(words $(CHECKED_SOURCES)),' \
	    'unit tests of $(or $(CHECKED_MODULES),no module)'

# Updates the lists in READMEs, and the bounds of lint-counts, to the current code.
.PHONY: lists bounds
lists: | $(LWIP_COPY) $(QRCODEGEN_COPY)
	@tools/build/readme_lists.sh --write
bounds:
	@tools/build/counts.sh --lower >build/bounds.txt

format:
	@$(call in_batches,$(C_FILES),8) clang-format -i
.PHONY: lint format
