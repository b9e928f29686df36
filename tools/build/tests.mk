# SPDX-License-Identifier: BSD-2-Clause
#
# Tests. Each module's sources are built with sanitizers as a shared object; a test of the module links it
# and those of the modules that it may use. So a change relinks the object of one module, and its tests.
# Fuzzers are linked from the archives of the same modules, built by clang.

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
# With -O1 sanitized code compiles in half the time of -O2, and has half the size if undefined
# behaviour traps; warnings that need -O2 appear when build/tare is built.
TEST_FLAGS := $(HOST_FLAGS) -O1 -g1 -fPIC $(SANITIZE) -fsanitize-undefined-trap-on-error
# Undefined behaviour ends a fuzzer with a trap, whose place libFuzzer prints: this halves the code.
FUZZ_FLAGS := -std=gnu17 -O1 -g1 -gz -I. $(FOREIGN_INCLUDES) -D_GNU_SOURCE -MMD -MP -ffunction-sections -fdata-sections -fno-pie \
    -fno-sanitize-recover=all -fsanitize-trap=undefined -Werror
FUZZ_SANITIZE := -fsanitize=fuzzer-no-link,address,undefined
COVERAGE_FLAGS := -fsanitize=fuzzer-no-link,address -fprofile-instr-generate -fcoverage-mapping
FUZZ_SECONDS ?= 60
FUZZ_TABLE ?= tools/tests/fuzz/table.txt
SUPPORT := tools/tests/support

build/host/tests/obj/%.c.o: %.c $(BUILD_FILES)
	$(call step,TESTCC,$<)
	@$(CC) $(TEST_FLAGS) $(TEST_EXTRA) -c -o $@ $<
build/host/tests/obj/%.S.o: %.S $(BUILD_FILES)
	$(call step,TESTAS,$<)
	@$(CC) $(HOST_FLAGS) -fPIC -c -o $@ $<
build/host/fuzz/obj/%.o: % $(BUILD_FILES)
	$(call step,FUZZCC,$<)
	@clang $(FUZZ_FLAGS) $(FUZZ_SANITIZE) -c -o $@ $<
build/host/coverage/obj/%.o: % $(BUILD_FILES)
	$(call step,COVCC,$<)
	@clang $(FUZZ_FLAGS) $(COVERAGE_FLAGS) -c -o $@ $<

# shared MODULE, unit_tests MODULE, fuzzers MODULE: sources
shared = build/host/tests/lib/$(subst /,-,$(1)).so
unit_tests = $(wildcard $(1)/tests/unit_*.c $(1)/unit_*.c) $(programs.$(1))
fuzzers = $(wildcard $(1)/tests/fuzz_*.c $(1)/fuzz_*.c)
program = build/host/$(1)/$(basename $(notdir $(2)))
# Modules with sources, and all that they use, the highest first.
with_sources = $(foreach module,$(1),$(if $(strip $(call module_sources,$(module))),$(module)))
tests_use = $(uses.$(1)/tests) $(foreach module,$(uses.$(1)/tests),$(reach.$(module)))
linked = $(call with_sources,$(sort $(1) $(reach.$(1)) $(call tests_use,$(1)) $(SUPPORT) \
    $(reach.$(SUPPORT))))
tested_archives = $(foreach module,$(2) $(reach.$(2)),$(if $(tested.$(module)),$(call tested_archive,host/$(1),$(module))))
linked_libs = $(sort $(foreach module,$(call linked,$(1)),$(libs.$(module)))) -lm

MODULES := $(IMAGE_FOLDERS) $(HOST_MODULES) $(TEST_MODULES) $(PLUGIN_MODULE)
TESTED_MODULES := $(foreach module,$(filter-out tools/tests/peers,$(MODULES)), \
    $(if $(strip $(call unit_tests,$(module))),$(module)))
FUZZED_MODULES := $(foreach module,$(MODULES),$(if $(call fuzzers,$(module)),$(module)))

define module_object
$$(call shared,$(1)): $$(call archive,host/tests,$(1))
	$$(call step,TESTSO,$$@)
	@$$(CC) $$(SANITIZE) -shared -o $$@ -Wl,--whole-archive $$< -Wl,--no-whole-archive
endef
$(foreach module,$(call with_sources,$(MODULES)),$(eval $(call module_object,$(module))))

# The objects of other modules are order-only prerequisites: the program loads them each time it starts.
define unit_test
$$(call program,tests,$(2)): $$(call objects,host/tests,$(2)) \
    $$(if $$(call with_sources,$(1)),$$(call shared,$(1))) \
    $$(call tested_archives,tests,$(1)) \
    | $$(foreach module,$$(call linked,$(1)),$$(call shared,$$(module)))
	@echo '  TESTLD  $$@'
	@$$(CC) $$(SANITIZE) -no-pie -o $$@ $$(filter %.o %-tested.a,$$^) -Wl,-rpath,'$$$$ORIGIN/lib' \
	    -Wl,--allow-shlib-undefined -Wl,--no-as-needed \
	    $$(foreach module,$$(call linked,$(1)),$$(call shared,$$(module))) -Wl,--as-needed \
	    $$(call linked_libs,$(1)) $$(libs.$$(basename $$(notdir $(2))))
endef
# Tests without sanitizers, from the archives of build/tare: `plain` in the table of modules.
define plain_test
$$(call program,tests,$(2)): $$(call objects,host,$(2)) \
    $$(foreach module,$$(call linked,$(1)),$$(call archive,host,$$(module)))
	$$(call step,TESTLD,$$@)
	@$$(CC) -no-pie -o $$@ $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) -Wl,--end-group \
	    $$(call linked_libs,$(1)) $$(libs.$$(basename $$(notdir $(2))))
endef
$(foreach module,$(TESTED_MODULES),$(foreach source,$(call unit_tests,$(module)), \
    $(eval $(call $(if $(filter $(source),$(plain.$(module))),plain,unit)_test,$(module),$(source)))))
$(foreach module,$(TESTED_MODULES), \
    $(eval build/host/tests/obj/$(module)/tests/%.o: TEST_EXTRA := $(test_flags.$(module))))

# Modules with readings (present/report_plugin.h) and rules (finding.h): nothing calls these, so these modules
# are linked as a whole.
PLUGIN_MODULES := $(patsubst %/,%,$(sort $(dir $(shell grep -lsE '^(PLUGIN_|FINDING_TABLE_)' tools/*/*.c \
    tools/*/*/*.c bench/*/host/*.c bench/*/host/*/*.c bench/finding/*.c))))
plugin_archives = $(foreach module,$(PLUGIN_MODULES),$(call archive,host/$(1),$(module)))

# fuzzer MODULE,SOURCE,VARIANT,FOLDER,FLAGS
define fuzzer
$$(call program,$(4),$(2)): $$(call objects,host/$(3),$(2)) \
    $$(foreach module,$$(call linked,$(1)),$$(call archive,host/$(3),$$(module))) \
    $$(call tested_archives,$(3),$(1))
	$$(call step,FUZZLD,$$@)
	@clang $$(FUZZ_FLAGS) -no-pie $$(foreach name,$$(fuzz_wraps.$$(basename $$(notdir $(2)))),-Wl,--wrap=$$(name)) \
	    -fsanitize=fuzzer,address,undefined $(5) -Wl,--gc-sections -o $$@ $$(filter %.o,$$^) \
	    -Wl,--whole-archive $$(filter $$(call plugin_archives,$(3)),$$^) -Wl,--no-whole-archive \
	    -Wl,--start-group $$(filter-out $$(call plugin_archives,$(3)),$$(filter %.a,$$^)) \
	    -Wl,--end-group $$(call linked_libs,$(1))
endef
$(foreach module,$(FUZZED_MODULES),$(foreach source,$(call fuzzers,$(module)), \
    $(eval $(call fuzzer,$(module),$(source),fuzz,tests,)) \
    $(eval $(call fuzzer,$(module),$(source),coverage,coverage,$(filter-out -fsanitize=%,$(COVERAGE_FLAGS))))))

UNIT_SOURCES := $(foreach module,$(TESTED_MODULES),$(call unit_tests,$(module)))
UNIT_PROGRAMS := $(foreach source,$(filter-out $(foreach module,$(MODULES),$(programs.$(module))),$(UNIT_SOURCES)),$(call program,tests,$(source)))
TEST_PROGRAMS := $(foreach source,$(UNIT_SOURCES),$(call program,tests,$(source)))
FUZZ_SOURCES := $(foreach module,$(FUZZED_MODULES),$(call fuzzers,$(module)))
FUZZ_PROGRAMS := $(foreach source,$(FUZZ_SOURCES),$(call program,tests,$(source)))
COVERAGE_PROGRAMS := $(FUZZ_PROGRAMS:build/host/tests/%=build/host/coverage/%)

.PHONY: test test-programs unit matrix fuzz fuzz-coverage
test-programs: $(TEST_PROGRAMS)
test: all build/web/tare.html build/image/tare-disk.img build/image/special.efi $(MEDIA_FILES) test-programs bench-programs $(FUZZ_PROGRAMS) build/host/corpus_pack
	@PICOLIBC=$(PICOLIBC) LWIP=$(LWIP) tools/tests/run.sh

# Falsified figures, and what the benches publish without them: tools/tests/mutants.
.PHONY: mutants answers
mutants: all test-programs
	@for of in image host smp; do sh tools/tests/mutants/$$of.sh | tee /dev/stderr | cut -f 1-3 | sed '1i # SPDX-License-Identifier: BSD-2-Clause' | LC_ALL=C sort >build/mutants && \
	    cp build/mutants tools/tests/mutants/score_$$of || exit; done; sh tools/tests/mutants/table.sh
answers: all
	@PICOLIBC=$(PICOLIBC) LWIP=$(LWIP) sh tools/tests/mutants/answers.sh

# The pictures in READMEs, made from what is printed today.
.PHONY: pictures
pictures: all $(TEST_PROGRAMS)
	@PICTURES=write PICOLIBC=$(PICOLIBC) LWIP=$(LWIP) sh tools/tests/image/test_pictures.sh

# An EFI program that runs before the image.
build/image/special.efi: tools/tests/firmware/special.c tools/build/tests.mk
	$(call step,EFICC,$<)
	@$(CC) $(COMMON_FLAGS) $(flags.boot) -ffreestanding -fpic -fno-stack-protector -mno-red-zone \
	    -MF $@.d -MT $@ -c -o $@.o $<
	@$(LD) -shared -Bsymbolic -nostdlib -T $(GNU_EFI_LIB)/elf_x86_64_efi.lds -o $@.so \
	    $(GNU_EFI_LIB)/crt0-efi-x86_64.o $@.o $(GNU_EFI_LIB)/libgnuefi.a
	@objcopy -j .text -j .data -j .rodata -j .dynamic -j .rela -j .reloc --target=efi-app-x86_64 $@.so $@

# All combinations, on all processors; `make test` boots only a few of them.
matrix: all
	@MATRIX=$${MATRIX:-full} MATRIX_JOBS=$$(nproc) tools/tests/image/matrix.sh

# Every firmware from every medium; `make test` takes one of each.
.PHONY: firmware
firmware: all
	@FIRMWARE_MEDIA=all sh tools/tests/firmware/test_firmware.sh

# A test on a system where nothing is installed: it fails if set-up forgets a package.
.PHONY: fresh
fresh:
	@tools/build/fresh.sh

unit: $(UNIT_PROGRAMS)
	@for program in $(UNIT_PROGRAMS); do echo "$$program" && "$$program" || exit; done

# Built from two sources: the fuzzers need no objects of the other tests.
CORPUS_OBJECTS := $(call objects,host,$(call sources,tools/tests/fuzz,corpus_pack corpus_text))
build/host/corpus_pack: $(CORPUS_OBJECTS)
	@echo '  HOSTLD  $@'
	@$(CC) -o $@ $^

fuzz: $(FUZZ_PROGRAMS) build/host/corpus_pack
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_ONLY=$(FUZZ_ONLY) FUZZ_TABLE=$(FUZZ_TABLE) tools/tests/fuzz/fuzz.sh

.PHONY: corpus
corpus: $(FUZZ_PROGRAMS) build/host/corpus_pack
	@FUZZ_ONLY=$(FUZZ_ONLY) SHRINK=$(SHRINK) tools/tests/fuzz/fuzz_merge.sh

fuzz-coverage: $(COVERAGE_PROGRAMS) build/host/corpus_pack
	@tools/tests/fuzz/fuzz_coverage.sh

# Comparisons with peers ------------------------------------------------------------------------

# The recorder, and that of LTTng-UST, as in real use: without sanitizers.
PEERS := tools/tests/peers
BENCH_PROGRAMS := build/host/bench/record build/host/bench/lttng
build/host/bench/record: $(PEERS)/bench_record.c $(PEERS)/bench_loop.h \
    $(call sources,kernel/trace,recorder account record) $(wildcard kernel/trace/*.h kernel/trace/*.def)
build/host/bench/lttng: $(PEERS)/bench_lttng.c $(PEERS)/bench_lttng.h $(PEERS)/bench_loop.h
build/host/bench/lttng: BENCH_LIBS := -llttng-ust -ldl
# This program runs in a guest without a library.
BENCH_PROGRAMS += build/host/bench/linux_guest
build/host/bench/linux_guest: $(PEERS)/linux_guest.c
build/host/bench/linux_guest: BENCH_LIBS := -static
BENCH_PROGRAMS += build/host/bench/linux_services
build/host/bench/linux_services: tools/tests/network/linux_services.c
build/host/bench/linux_services: BENCH_LIBS := -static
# Built without sanitizers, it takes a fifth of the time.
BENCH_PROGRAMS += build/host/bench/change_points
build/host/bench/change_points: tools/stats/tests/unit_change_points.c $(call sources,kernel/plan,draw) \
    $(call sources,tools/stats,change_points distributions summary statistics) \
    $(call sources,tools/base,alloc sort)
build/host/bench/change_points: BENCH_LIBS := -lm
BENCH_PROGRAMS += build/host/bench/permutation
build/host/bench/permutation: tools/stats/tests/unit_permutation.c $(call sources,kernel/plan,draw) \
    $(call sources,tools/stats,compare_statistics permutation distributions summary statistics) \
    $(call sources,tools/base,alloc sort)
build/host/bench/permutation: BENCH_LIBS := -lm
# All modules of the host program except its commands, compiled as for it.
FLEET_ARCHIVES := $(filter-out $(call archive,host,tools/cmd),$(HOST_ARCHIVES))
build/host/bench/fleet: tools/store/tests/bench_fleet.c
build/host/bench/long_log: tools/tests/programs/long_log.c tools/tests/support/log_builder.c
build/host/bench/wire_sizes: tools/tests/programs/wire_sizes.c
build/host/bench/fleet build/host/bench/long_log build/host/bench/wire_sizes: $(FLEET_ARCHIVES) $(HOSTED_OBJECTS) $(BUILD_FILES)
	$(call step,BENCHCC,$@)
	@$(CC) $(filter-out -MMD -MP,$(HOST_FLAGS)) -o $@ $(filter %.c,$^) -Wl,--whole-archive $(FLEET_ARCHIVES) \
	    -Wl,--no-whole-archive $(HOSTED_OBJECTS) $(HOST_LIBS)
$(BENCH_PROGRAMS): $(BUILD_FILES)
	$(call step,BENCHCC,$@)
	@$(CC) $(filter-out -MMD -MP,$(HOST_FLAGS)) -o $@ $(filter %.c %.S,$^) $(BENCH_LIBS)
BENCH_PROGRAMS += build/host/bench/fleet build/host/bench/long_log build/host/bench/wire_sizes
.PHONY: bench-programs
bench-programs: $(BENCH_PROGRAMS)

# make bench, or one with ONLY=NAME: bench_NAME.sh in any folder, or a command below.
bench_script = $(wildcard tools/tests/*/bench_$(1).sh */*/tests/bench_$(1).sh)
bench_command.floor := FLOOR_SECONDS=10 sh tools/tests/image/test_exact.sh floor
bench_command.groups := build/host/tests/unit_groups 1000
bench_command.permutation := build/host/bench/permutation 1000
bench_command.history := build/host/bench/change_points 1000
bench_command = $(or $(bench_command.$(1)),$(addprefix sh ,$(call bench_script,$(1))),\
    $(error make bench ONLY=$(1): no such bench; make help lists them))
bench_chosen := $(if $(ONLY),$(call bench_command,$(ONLY)),$(PEERS)/bench.sh)

.PHONY: bench same-bytes
bench: all build/web/tare.html $(BENCH_PROGRAMS) \
    $(addprefix build/host/tests/,wire_sizes pmu_machine big_log demo_page unit_groups camera_film screen_codes)
	@$(bench_chosen)

# The default plan, with three boots on each of five machines: `make test` boots one with a disk twice. And
# 20 boots of the image with one more instruction: `make test` boots two of them.
same-bytes: all build/image/tare-disk.img
	@sh tools/tests/image/test_exact.sh bytes
	@DIFF_BOOTS=20 sh tools/judge/tests/test_diff.sh

TEST_VARIANT_SOURCES := $(foreach module,$(MODULES),$(call module_sources,$(module)) $(tested.$(module)))
-include $(patsubst %.o,%.d,$(call objects,host/tests,$(TEST_VARIANT_SOURCES) $(UNIT_SOURCES)) \
    $(filter-out $(HOST_OBJECTS),$(call objects,host,$(TEST_VARIANT_SOURCES) $(UNIT_SOURCES))) \
    $(call objects,host/fuzz,$(TEST_VARIANT_SOURCES) $(FUZZ_SOURCES)) \
    $(call objects,host/coverage,$(TEST_VARIANT_SOURCES) $(FUZZ_SOURCES)))
