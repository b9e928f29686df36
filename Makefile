# SPDX-License-Identifier: BSD-2-Clause
#
# `make help` lists what there is. Everything made goes to build/.
#
# The Makefile runs twice. The outer make, which may find a machine without even a compiler,
# installs what is missing (tools/setup.sh), gets the C library (tools/picolibc.sh), and then
# calls itself once with INNER=1 and the same goals. The inner make has all it needs, and
# builds.

MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

GOALS := $(or $(MAKECMDGOALS),all)

.PHONY: help setup clean
help:
	@echo 'make          the image and the host program'
	@echo 'make image    build/image/tare.efi and the disk image build/image/tare.img'
	@echo 'make tools    the host program build/tare'
	@echo 'make run      boots the image in QEMU and shows the results'
	@echo 'make test     all tests'
	@echo 'make unit     the unit tests only'
	@echo 'make fuzz     fuzzes the parsers, FUZZ_SECONDS=60 each; FUZZ_ONLY=log one of them'
	@echo 'make fuzz-coverage  which lines of each parser its corpus reaches'
	@echo 'make corpus   packs what fuzzing found into tools/tests/corpus; SHRINK=1 drops what reaches nothing'
	@echo 'make matrix   boots every machine that the matrix can make, or MATRIX=N of them: hours'
	@echo 'make bench    what a run costs: time, bytes'
	@echo 'make bench-floor  the floor of exact mode over 10 virtual seconds'
	@echo 'make bench-host   of it, only the memory kernels beside those of other programs'
	@echo 'make bench-linux  of it, only what an operating system adds, in a Linux guest'
	@echo 'make bench-sim    of it, only the response-time model beside SimPy, and against theory'
	@echo 'make lint     clang-format, clang-tidy and cppcheck over all sources'
	@echo 'make format   lays out all C sources with clang-format'
	@echo 'make setup    only installs missing packages (the other goals do this themselves)'
	@echo 'make install  installs to PREFIX=/usr/local, below DESTDIR if given'
	@echo 'make uninstall    takes that away again'
	@echo 'make deb      a Debian package, build/tare_VERSION_amd64.deb'
	@echo 'make clean    removes build/'
	@echo
	@echo 'PICOLIBC=prefix  a picolibc already built, instead of fetching and building one'
	@echo 'UPLOT=folder     a uPlot already unpacked, instead of fetching one'

clean:
	rm -rf build

ifndef INNER
# ---------------------------------------------------------------------------------------------
# The outer make

INNER_GOALS := $(filter-out help setup clean,$(GOALS))
BENCHES := bench bench-host bench-linux bench-sim
TESTING := test matrix lint format fuzz fuzz-coverage corpus bench-decode bench-floor $(BENCHES)
PURPOSES := $(if $(filter $(TESTING),$(GOALS)),test,build) \
    $(if $(filter $(BENCHES),$(GOALS)),bench) $(if $(filter deb,$(GOALS)),package)
# These do without the C library.
NEEDS_LIBRARY := $(filter-out tools unit fuzz fuzz-coverage corpus format bench-host bench-sim help-files \
    uninstall build/tare,$(INNER_GOALS))
# These do without the chart library.
NEEDS_CHARTS := $(filter-out image uninstall format lint lint-format lint-tidy lint-cppcheck, \
    $(INNER_GOALS))

setup: $(filter clean,$(GOALS))
	@for purpose in $(PURPOSES); do tools/setup.sh $$purpose || exit; done

.PHONY: inner $(INNER_GOALS)
$(INNER_GOALS): inner
	@:

# -j is for the inner make: as many jobs as there are processors if none is given.
inner: setup
	+@picolibc=$(if $(NEEDS_LIBRARY),$$(tools/picolibc.sh)) || exit; \
	uplot=$(if $(NEEDS_CHARTS),$$(tools/uplot.sh)) || exit; \
	case "$$MAKEFLAGS" in *-j*) jobs= ;; *) jobs=-j$$(nproc) ;; esac; \
	$(MAKE) $$jobs INNER=1 PICOLIBC="$$picolibc" UPLOT="$$uplot" $(INNER_GOALS)

else
# ---------------------------------------------------------------------------------------------
# The inner make

CC := gcc
LD := ld
GNU_EFI_INCLUDE ?= /usr/include/efi
GNU_EFI_LIB ?= /usr/lib

# Sources that touch no hardware: built into the image, the host program and the unit tests.
PURE_SOURCES := $(wildcard \
    kernel/link/crc32c.c kernel/link/cobs.c kernel/link/frame.c kernel/link/residual.c \
    kernel/link/base64.c kernel/link/record.c kernel/link/request.c kernel/plan/plan.c \
    kernel/plan/number.c kernel/plan/port.c \
    kernel/clock/verdict.c kernel/cpu/cpuid.c kernel/cpu/cache.c kernel/cpu/topology.c \
    kernel/dev/acpi.c kernel/dev/smbios.c kernel/base/ranges.c kernel/screen/font.c \
    kernel/screen/surface.c kernel/pmu/event.c \
    kernel/pmu/event_tables.c kernel/input/event.c kernel/input/key.c kernel/input/script.c \
    kernel/input/typist.c kernel/input/scancode.c kernel/input/mouse_packet.c \
    kernel/run/registry.c kernel/run/bench_values.c kernel/run/spread.c kernel/model/program.c \
    kernel/model/draw.c)

# The recorder touches none either, but the host program only reads what it writes.
RECORDER_SOURCES := $(wildcard kernel/trace/recorder.c kernel/trace/recorder.S)
# Nor does the switch from stack to stack, which the test of locks needs.
SWITCH_SOURCES := $(wildcard kernel/task/switch.S)

IMAGE_SOURCES := $(wildcard boot/*.c boot/*.S kernel/*.c kernel/*/*.c kernel/*/*.S bench/*/*.c \
    bench/*/*.S)
# Benches that run on Linux as well, in the order of their names, and what they time.
HOSTED_SOURCES := $(wildcard $(addprefix bench/,memory/bandwidth.c system/call.c memory/chase.c \
    system/clockread.c system/loop.c memory/stride.c memory/tlb.c memory/chain.c \
    memory/kernels.S memory/streams.S system/kernels.S))
HOST_SOURCES := $(wildcard tools/tare.c tools/cmd/*.c tools/lib/*.c tools/lib/*.S tools/sim/*.c) \
    $(PURE_SOURCES) $(HOSTED_SOURCES)
# What of boot/ touches neither firmware nor hardware; mkefi unpacks what it packed.
BOOT_PURE_SOURCES := boot/unpack.c boot/lzma.c boot/executable.c boot/memory_map.c boot/date.c
MKEFI_SOURCES := $(wildcard tools/mkefi*.c) boot/unpack.c boot/lzma.c kernel/link/crc32c.c
UNIT_SOURCES := $(wildcard tools/tests/unit_*.c)
# Programs that the shell tests use.
TEST_TOOLS := demo_page big_log lossy_proxy corrupt_log fake_image screen_text trace_run \
    packed_image png_grey ask_image
# Programs that run the image's machine code on a processor emulated by Unicorn.
MACHINE_TESTS := machine_checks alarm_machine input_machine uart_machine pmu_table pmu_machine
MACHINE_SOURCES := tools/tests/unicorn_machine.c tools/tests/unicorn_devices.c
TEST_TOOLS += $(MACHINE_TESTS)
# The same on the processor of this machine.
TEST_TOOLS += pmu_silicon
SILICON_SOURCES := tools/tests/perf_registers.c
TEST_TOOL_SOURCES := $(TEST_TOOLS:%=tools/tests/%.c)
# What test programs share.
TEST_SHARED_SOURCES := tools/tests/log_builder.c tools/tests/unix_listener.c \
    tools/tests/image_elf.c tools/tests/pmu_model.c tools/tests/trace_builder.c \
    tools/tests/corpus_text.c tools/tests/law_checks.c
TESTED_SOURCES := $(wildcard tools/lib/*.c tools/lib/*.S tools/sim/*.c) $(TEST_SHARED_SOURCES) \
    $(PURE_SOURCES) $(RECORDER_SOURCES) $(SWITCH_SOURCES) $(BOOT_PURE_SOURCES) \
    tools/mkefi_pack.c

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
COMMON_FLAGS := -std=gnu17 -O2 -g -I. $(WARNINGS) -fno-omit-frame-pointer -MMD -MP
# The same input gives the same image, wherever the checkout is.
MAP_FLAGS := -ffile-prefix-map=$(CURDIR)=.

# Instructions that stay in the order of the source look more alike, and pack better, by 3 %; their
# number is the same.
ORDER_FLAGS := -fno-schedule-insns2

GCC_INCLUDE := $(shell $(CC) -print-file-name=include)
IMAGE_FLAGS := $(COMMON_FLAGS) $(MAP_FLAGS) -ffreestanding -nostdinc \
    -isystem $(PICOLIBC)/include -isystem $(GCC_INCLUDE) \
    -fpie -fvisibility=hidden -fno-stack-protector -mno-red-zone -mgeneral-regs-only \
    -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections $(ORDER_FLAGS)
# What is measured, or measures, is built for speed; all else of the image for size: it is loaded
# through firmware that may be slow.
SIZE_FLAGS := -Os
BOOT_FLAGS := -DGNU_EFI_USE_MS_ABI -fshort-wchar -maccumulate-outgoing-args \
    -isystem $(GNU_EFI_INCLUDE) -isystem $(GNU_EFI_INCLUDE)/x86_64
IMAGE_LDFLAGS := -pie --no-dynamic-linker -z text -z noexecstack -z max-page-size=4096 \
    --gc-sections --fatal-warnings -T linker.ld

HOST_FLAGS := $(COMMON_FLAGS) -D_GNU_SOURCE
HOST_LIBS := -lsqlite3 -lpq -lpfm -ljansson -lmd -lm
PACK_LIBS := -llzma
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all

objects = $(patsubst %,build/$(1)/obj/%.o,$(2))
IMAGE_OBJECTS := $(call objects,image,$(IMAGE_SOURCES))
HOST_OBJECTS := $(call objects,host,$(HOST_SOURCES))
MKEFI_OBJECTS := $(call objects,host,$(MKEFI_SOURCES))
TESTED_OBJECTS := $(call objects,host/tests,$(TESTED_SOURCES))
MACHINE_OBJECTS := $(call objects,host/tests,$(MACHINE_SOURCES))
SILICON_OBJECTS := $(call objects,host/tests,$(SILICON_SOURCES))
UNIT_OBJECTS := $(call objects,host/tests,$(UNIT_SOURCES) $(TEST_TOOL_SOURCES) $(MACHINE_SOURCES) \
    $(SILICON_SOURCES))
UNIT_PROGRAMS := $(patsubst tools/tests/%.c,build/host/tests/%,$(UNIT_SOURCES))
TEST_PROGRAMS := $(UNIT_PROGRAMS) $(TEST_TOOLS:%=build/host/tests/%)

# By clang, with libFuzzer.
FUZZ_SOURCES := $(wildcard tools/tests/fuzz_*.c)
FUZZ_OBJECTS := $(call objects,host/fuzz,$(TESTED_SOURCES))
FUZZ_PROGRAMS := $(patsubst tools/tests/%.c,build/host/tests/%,$(FUZZ_SOURCES))
FUZZ_SECONDS ?= 60

.PHONY: all image tools test-programs run test fuzz bench unit lint format FORCE
all: image tools
image: build/image/tare.efi build/image/tare.img
tools: build/tare
test-programs: $(TEST_PROGRAMS)

# A list is rewritten only when it changes, so that what depends on it is made again after a
# source was added or removed, or another library was chosen.
define list
@mkdir -p $(@D)
@echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
endef
build/image/library.list: FORCE
	$(call list,$(PICOLIBC))
build/image/objects.list: FORCE
	$(call list,$(IMAGE_OBJECTS))
build/host/objects.list: FORCE
	$(call list,$(HOST_OBJECTS))
build/host/tests/objects.list: FORCE
	$(call list,$(TESTED_OBJECTS))

# Image ---------------------------------------------------------------------------------------

build/image/obj/boot/%.o: EXTRA_FLAGS := $(SIZE_FLAGS) $(BOOT_FLAGS)
# Most of the time to the banner goes there; copies of code would not be worth their place, as it is
# not packed itself.
build/image/obj/boot/lzma.c.o: EXTRA_FLAGS := -O2 -fno-align-functions -fno-align-jumps \
    -fno-align-loops -fno-gcse -fno-tree-pre $(BOOT_FLAGS)
# A folder is built for size, or for speed: what is measured by the instruction (interrupts, threads,
# page faults, the idle loop) and what reads a clock in a tight loop.
SPEED_FOLDERS := kernel/idle kernel/irq kernel/space kernel/task bench/clock bench/noise
build/image/obj/%.o: EXTRA_FLAGS := $(SIZE_FLAGS)
$(foreach folder,$(SPEED_FOLDERS),build/image/obj/$(folder)/%.o): EXTRA_FLAGS :=
# In kernel/task what only prepares: threads, sessions, and the measurement of its own costs.
$(call objects,image,$(wildcard kernel/task/costs.c kernel/task/session.c kernel/task/thread.c)): \
    EXTRA_FLAGS := $(SIZE_FLAGS)
build/image/obj/%.c.o: %.c Makefile build/image/library.list
	@mkdir -p $(@D)
	@echo '  CC      $<'
	@$(CC) $(IMAGE_FLAGS) $(EXTRA_FLAGS) -c -o $@ $<
build/image/obj/%.S.o: %.S Makefile build/image/library.list
	@mkdir -p $(@D)
	@echo '  AS      $<'
	@$(CC) $(IMAGE_FLAGS) $(EXTRA_FLAGS) -c -o $@ $<

# Without libgcc: it is built with a red zone, which interrupts on the same stack overwrite.
build/image/tare.elf: linker.ld $(IMAGE_OBJECTS) build/image/objects.list
	@echo '  LD      $@'
	@$(LD) $(IMAGE_LDFLAGS) -Map=build/image/tare.map -o $@ \
	    $(GNU_EFI_LIB)/crt0-efi-x86_64.o $(IMAGE_OBJECTS) $(GNU_EFI_LIB)/libgnuefi.a \
	    $(PICOLIBC)/lib/libc.a

build/image/tare.efi: build/image/tare.elf build/host/mkefi
	@echo '  MKEFI   $@'
	@build/host/mkefi $< $@

build/image/tare.img: build/image/tare.efi tools/mkimage.sh
	@echo '  MKIMAGE $@'
	@tools/mkimage.sh $@ $<

# Host ----------------------------------------------------------------------------------------

build/host/obj/%.c.o: %.c Makefile
	@mkdir -p $(@D)
	@echo '  HOSTCC  $<'
	@$(CC) $(HOST_FLAGS) -c -o $@ $<

build/host/obj/%.S.o: %.S Makefile
	@mkdir -p $(@D)
	@echo '  HOSTAS  $<'
	@$(CC) $(HOST_FLAGS) -c -o $@ $<

# What the report's page holds; the assembler does not tell make what it includes.
UPLOT ?= $(shell tools/uplot.sh)
UPLOT_FILES := $(addprefix build/uplot/,uPlot.iife.min.js uPlot.min.css LICENSE)
$(UPLOT_FILES) &: tools/uplot.sh
	@mkdir -p $(@D)
	@cp $(addprefix $(UPLOT)/,$(notdir $(UPLOT_FILES))) $(@D)
	@touch $(UPLOT_FILES)
$(foreach folder,obj tests/obj fuzz/obj coverage/obj,build/host/$(folder)/tools/lib/page_assets.S.o): \
    $(UPLOT_FILES) $(wildcard tools/page/*)
$(foreach folder,obj tests/obj fuzz/obj coverage/obj,build/host/$(folder)/tools/lib/run_schema.S.o): \
    tools/lib/run_schema.json

build/tare: $(HOST_OBJECTS) build/host/objects.list
	@echo '  HOSTLD  $@'
	@$(CC) -o $@ $(HOST_OBJECTS) $(HOST_LIBS)

build/host/mkefi: $(MKEFI_OBJECTS)
	@echo '  HOSTLD  $@'
	@$(CC) -o $@ $^ $(PACK_LIBS)

# Installation --------------------------------------------------------------------------------

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/^.define TARE_VERSION "\(.*\)"/\1/p' kernel/base/version.h)
# The day of this version, for what holds a date: the same sources give the same package.
RELEASED := $(or $(SOURCE_DATE_EPOCH),1795305600)
PACKAGE := build/tare_$(VERSION)_amd64.deb

HELP_FILES := build/help/man/tare.1

.PHONY: help-files install uninstall deb
help-files: $(HELP_FILES)
# All pages.
build/help/man/tare.1: build/tare $(wildcard tools/help/man.sh tools/man/*.h2m) Makefile
	@echo '  MAN     build/help/man'
	@rm -rf $(@D)
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/help/man.sh build/tare $(@D)

# Of what is linked into the image.
LICENCES := build/licences/picolibc build/licences/gnu-efi
build/licences/picolibc: build/image/library.list
	@mkdir -p $(@D)
	@cp $(PICOLIBC)/COPYING $@
build/licences/gnu-efi: /usr/share/doc/gnu-efi/copyright
	@mkdir -p $(@D)
	@cp $< $@

install: all $(HELP_FILES) build/uplot/LICENSE $(LICENCES)
	tools/install.sh install '$(DESTDIR)$(PREFIX)'

uninstall:
	tools/install.sh uninstall '$(DESTDIR)$(PREFIX)'

deb: $(PACKAGE)
$(PACKAGE): build/tare build/image/tare.efi build/image/tare.img README.md LICENSE tools/deb.sh \
    tools/install.sh $(HELP_FILES) build/uplot/LICENSE $(LICENCES)
	@echo '  DEB     $@'
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/deb.sh $(VERSION) build/deb $@

# Tests ---------------------------------------------------------------------------------------

build/host/tests/obj/%.c.o: %.c Makefile
	@mkdir -p $(@D)
	@echo '  TESTCC  $<'
	@$(CC) $(HOST_FLAGS) $(SANITIZE) -c -o $@ $<

# They have what talks to firmware under test.
build/host/tests/obj/tools/tests/unit_log_file.c.o \
    build/host/tests/obj/tools/tests/unit_services.c.o: HOST_FLAGS += $(BOOT_FLAGS)

build/host/tests/obj/%.S.o: %.S Makefile
	@mkdir -p $(@D)
	@echo '  TESTAS  $<'
	@$(CC) $(HOST_FLAGS) -c -o $@ $<

$(TEST_PROGRAMS): build/host/tests/%: build/host/tests/obj/tools/tests/%.c.o $(TESTED_OBJECTS) \
    build/host/tests/objects.list
	@echo '  TESTLD  $@'
	@$(CC) $(SANITIZE) -o $@ $(filter %.o,$^) $(HOST_LIBS) $(PACK_LIBS) $(TEST_LIBS)

$(MACHINE_TESTS:%=build/host/tests/%): $(MACHINE_OBJECTS)
$(MACHINE_TESTS:%=build/host/tests/%): TEST_LIBS := -lunicorn -lcapstone
build/host/tests/png_grey: TEST_LIBS := -lpng
build/host/tests/pmu_silicon: $(SILICON_OBJECTS)

run: all
	@mkdir -p build/run
	build/tare boot build/image/tare.efi --log build/run/serial.log -o build/run/run.db
	build/tare show build/run/run.db

test: all test-programs $(FUZZ_PROGRAMS) build/host/corpus_pack
	@PICOLIBC=$(PICOLIBC) tools/tests/run.sh

# All combinations, on all processors; `make test` boots few of them.
.PHONY: matrix
matrix: all
	@MATRIX=$${MATRIX:-full} MATRIX_JOBS=$$(nproc) tools/tests/matrix.sh

unit: $(UNIT_PROGRAMS)
	@for program in $(UNIT_PROGRAMS); do echo "$$program" && "$$program" || exit; done

FUZZ_FLAGS := -std=gnu17 -O1 -g -I. -D_GNU_SOURCE -MMD -MP -fno-sanitize-recover=all
build/host/fuzz/obj/%.o: % Makefile
	@mkdir -p $(@D)
	@echo '  FUZZCC  $<'
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<

# The fuzzer's own time: its sessions wait in none.
build/host/tests/fuzz_session build/host/coverage/fuzz_session: \
    FUZZ_WRAPS := -Wl,--wrap=monotonic_ms,--wrap=sleep_ms,--wrap=poll
$(FUZZ_PROGRAMS): build/host/tests/%: build/host/fuzz/obj/tools/tests/%.c.o $(FUZZ_OBJECTS)
	@mkdir -p $(@D)
	@echo '  FUZZLD  $@'
	@clang $(FUZZ_FLAGS) $(FUZZ_WRAPS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.o,$^) \
	    $(HOST_LIBS) $(PACK_LIBS)

# Of two sources: the fuzzers need no object of the other tests.
CORPUS_OBJECTS := $(call objects,host,tools/tests/corpus_pack.c tools/tests/corpus_text.c)
build/host/corpus_pack: $(CORPUS_OBJECTS)
	@echo '  HOSTLD  $@'
	@$(CC) -o $@ $^

fuzz: $(FUZZ_PROGRAMS) build/host/corpus_pack
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_ONLY=$(FUZZ_ONLY) tools/tests/fuzz.sh

.PHONY: corpus
corpus: $(FUZZ_PROGRAMS) build/host/corpus_pack
	@FUZZ_ONLY=$(FUZZ_ONLY) SHRINK=$(SHRINK) tools/tests/fuzz_merge.sh

# The same, counting lines.
COVERAGE_FLAGS := -fprofile-instr-generate -fcoverage-mapping
COVERAGE_PROGRAMS := $(FUZZ_PROGRAMS:build/host/tests/%=build/host/coverage/%)
COVERAGE_OBJECTS := $(call objects,host/coverage,$(TESTED_SOURCES))
build/host/coverage/obj/%.o: % Makefile
	@mkdir -p $(@D)
	@echo '  COVCC   $<'
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address $(COVERAGE_FLAGS) -c -o $@ $<
$(COVERAGE_PROGRAMS): build/host/coverage/%: build/host/coverage/obj/tools/tests/%.c.o \
    $(COVERAGE_OBJECTS)
	@echo '  COVLD   $@'
	@clang $(FUZZ_FLAGS) $(FUZZ_WRAPS) -fsanitize=fuzzer,address $(COVERAGE_FLAGS) -o $@ \
	    $(filter %.o,$^) $(HOST_LIBS) $(PACK_LIBS)

.PHONY: fuzz-coverage
fuzz-coverage: $(COVERAGE_PROGRAMS) build/host/corpus_pack
	@tools/tests/fuzz_coverage.sh

# The recorder, and LTTng-UST's, as they are used: without sanitizers.
BENCH_PROGRAMS := build/host/bench/record build/host/bench/lttng
build/host/bench/record: tools/tests/bench_record.c tools/tests/bench_loop.h $(RECORDER_SOURCES) \
    $(wildcard kernel/trace/*.h kernel/trace/*.def)
build/host/bench/lttng: tools/tests/bench_lttng.c tools/tests/bench_lttng.h tools/tests/bench_loop.h
build/host/bench/lttng: BENCH_LIBS := -llttng-ust -ldl
# Runs in a guest without a library.
BENCH_PROGRAMS += build/host/bench/linux_guest
build/host/bench/linux_guest: tools/tests/linux_guest.c
build/host/bench/linux_guest: BENCH_LIBS := -static
$(BENCH_PROGRAMS): Makefile
	@mkdir -p $(@D)
	@echo '  BENCHCC $@'
	@$(CC) $(filter-out -MMD -MP,$(HOST_FLAGS)) -o $@ $(filter %.c %.S,$^) $(BENCH_LIBS)

bench: all build/host/tests/pmu_machine build/host/tests/big_log $(BENCH_PROGRAMS)
	@tools/tests/bench.sh

.PHONY: bench-decode
bench-decode: tools build/host/tests/big_log
	@tools/tests/bench_decode.sh

# The exact floor over 10 virtual seconds: too long for every test run.
.PHONY: bench-floor
bench-floor: all
	@FLOOR_SECONDS=10 tools/tests/test_exact.sh floor

.PHONY: bench-host
bench-host: tools
	@tools/tests/bench_host.sh

.PHONY: bench-sim
bench-sim: tools
	@tools/tests/bench_sim.sh

.PHONY: bench-linux
bench-linux: all build/host/bench/linux_guest
	@tools/tests/linux_guest.sh

# Checks --------------------------------------------------------------------------------------

folders := $(wildcard boot kernel bench tools)
C_FILES := $(if $(folders),$(shell find $(folders) -name '*.[ch]' | LC_ALL=C sort))

# clang takes its own headers (stdint.h, cpuid.h, ...) in place of gcc's.
TIDY_IMAGE_FLAGS := --target=x86_64-unknown-none-elf -std=gnu17 -I. -ffreestanding -nostdlibinc \
    -isystem $(PICOLIBC)/include -mgeneral-regs-only
# Of each function the path analyzer looks at a quarter of what it would by itself: nearly all of its
# time goes to a few functions with many branches. `make test` looks at a third of that.
TIDY_NODES ?= 56250
TIDY_BUDGET := -Xclang -analyzer-config -Xclang max-nodes=$(TIDY_NODES)
LINT_JOBS ?= $(shell nproc)
TIDY_HOST_FLAGS := -std=gnu17 -I. -D_GNU_SOURCE -DGNU_EFI_USE_MS_ABI \
    -isystem $(GNU_EFI_INCLUDE) -isystem $(GNU_EFI_INCLUDE)/x86_64
# comparePointers: the ends of a linker section look like two objects.
CPPCHECK := cppcheck -q -j$(LINT_JOBS) --enable=warning,performance,portability \
    --error-exitcode=1 --inline-suppr --std=c11 --platform=unix64 --library=gnu -I. \
    --suppress=missingInclude --suppress=missingIncludeSystem --suppress=comparePointers

# clang-tidy gets one file a time: version 14 takes
# every va_list after the first file for uninitialised. It counts on stderr the warnings that it
# suppressed; its findings go to stdout. A file in which there are none is looked at again when it,
# a header of it, or what is asked of it has changed.
in_batches = printf '%s\n' $(1) | xargs -r -n $(2) -P $(LINT_JOBS)
TIDY_FOLDER := build/tidy/$(TIDY_NODES)
TIDY_CLEAN := $(patsubst %,$(TIDY_FOLDER)/%.clean,$(filter %.c,$(C_FILES)))
TIDY_BOOT_FLAGS := $(TIDY_IMAGE_FLAGS) $(filter-out -m%,$(BOOT_FLAGS))
build/tidy/flags.list: FORCE
	$(call list,$(TIDY_HOST_FLAGS) $(TIDY_BOOT_FLAGS))
$(TIDY_FOLDER)/%.clean: TIDY_FLAGS = $(TIDY_IMAGE_FLAGS)
$(TIDY_FOLDER)/boot/%.clean: TIDY_FLAGS = $(TIDY_BOOT_FLAGS)
$(TIDY_FOLDER)/tools/%.clean: TIDY_FLAGS = $(TIDY_HOST_FLAGS)
$(TIDY_FOLDER)/%.clean: % .clang-tidy tools/tests/.clang-tidy build/tidy/flags.list
	@mkdir -p $(@D)
	@clang $(TIDY_FLAGS) -MM -MP -MT $@ -MF $(@:.clean=.d) $<
	@clang-tidy --quiet $< -- $(TIDY_FLAGS) $(TIDY_BUDGET) 2>/dev/null
	@touch $@
.PHONY: tidy-clean
tidy-clean: $(TIDY_CLEAN)
ifneq ($(filter tidy-clean,$(MAKECMDGOALS)),)
-include $(TIDY_CLEAN:.clean=.d)
endif

.PHONY: lint-format lint-tidy lint-cppcheck
lint: lint-format lint-tidy lint-cppcheck
lint-format:
	@echo '  FORMAT  $(words $(C_FILES)) files'
	@$(call in_batches,$(C_FILES),8) clang-format --dry-run -Werror
lint-tidy:
	@echo '  TIDY    $(words $(C_FILES)) files'
	@$(MAKE) --keep-going tidy-clean
lint-cppcheck:
	@echo '  CPPCHK  $(words $(C_FILES)) files'
	@mkdir -p build/cppcheck
	@$(CPPCHECK) --cppcheck-build-dir=build/cppcheck $(filter %.c,$(C_FILES))

format:
	@$(call in_batches,$(C_FILES),8) clang-format -i

-include $(IMAGE_OBJECTS:.o=.d) $(HOST_OBJECTS:.o=.d) $(MKEFI_OBJECTS:.o=.d) \
    $(TESTED_OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(CORPUS_OBJECTS:.o=.d) \
    $(FUZZ_SOURCES:%=build/host/fuzz/obj/%.d) $(COVERAGE_OBJECTS:.o=.d) \
    $(FUZZ_SOURCES:%=build/host/coverage/obj/%.d)
.SECONDARY:

endif
