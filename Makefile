# SPDX-License-Identifier: BSD-2-Clause
#
# `make help` lists what there is. Everything made goes to build/.
#
# The Makefile runs twice. The outer make, which may find a machine without even a compiler,
# installs what is missing (tools/build/setup.sh), gets the C library (tools/build/picolibc.sh) and other
# libraries (source.sh, npm.sh), and then calls itself once with INNER=1 and the same goals. The inner
# make has all it needs, and builds.

MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

GOALS := $(or $(MAKECMDGOALS),all)
RUN := mkdir -p build/run && build/tare boot build/image/tare.efi --log build/run/serial.log -o build/run/run.db

.PHONY: help setup clean
help:
	@echo 'make          the image and the host program'
	@echo 'make image    build/image/tare.efi, and build/image/tare.img for a USB drive'
	@echo 'make media    these, an ISO image and virtual disks: build/media/ (make iso, make disks)'
	@echo 'make disk-image   build/image/tare-disk.img, which has the partition that disk benches read'
	@echo 'make release  media, Debian package, tare.html, changelog and SHA256SUMS: build/release/'
	@echo 'make web      the host program as one page for browsers: build/web/tare.html'
	@echo 'make tools    the host program build/tare'
	@echo 'make run      boots the image in QEMU, shows the results and writes the page'
	@echo 'make test     all tests'
	@echo 'make unit     the unit tests only'
	@echo 'make check    of what differs from the last commit, or FILE=path: layout, modules, clang-tidy, unit tests'
	@echo 'make fresh    make run and make test in a bare Debian 12 (needs root; FRESH=folder, build/fresh)'
	@echo 'make fuzz     fuzzes the parsers, FUZZ_SECONDS=60 each; FUZZ_ONLY=log one of them'
	@echo 'make fuzz-coverage  which lines of each parser its corpus reaches'
	@echo 'make corpus   packs what fuzzing found into tools/tests/corpus; SHRINK=1 drops what reaches nothing'
	@echo 'make mutants  falsifies each figure, and says who notices it (make answers: the known answers)'
	@echo 'make matrix   boots every machine of the matrix, which takes hours; MATRIX=N: the first N of its pairs'
	@echo 'make firmware   boots under OVMF and U-Boot of two Debians, from every medium'
	@echo 'make same-bytes   three boots each from five disks, and 20 of an image with one instruction more'
	@echo 'make bench    what a run costs, and ours beside peers; ONLY=NAME one of'
	@find bench tools -name 'bench_*.sh' | sed 's|.*/bench_||; s|.sh$$||' | sed '$$a floor\ngroups\nhistory' | sort | fmt -w 84 | sed 's/^/              /'
	@echo 'make lint     clang-format, clang-tidy and cppcheck over all sources'
	@echo 'make format   lays out all C sources with clang-format'
	@echo 'make pictures the pictures in READMEs, from what is printed today'
	@echo 'make site     a site of all documents, with a search: build/site/site/'
	@echo 'make docs     lists of plan keys, options, events and counters: build/docs/'
	@echo 'make links    follows the links and paths of each README.md'
	@echo 'make setup    only installs missing packages (the other goals do this themselves)'
	@echo 'make install  installs to PREFIX=/usr/local, below DESTDIR if given'
	@echo 'make uninstall    takes that away again'
	@echo 'make deb      a Debian package, build/tare_VERSION_amd64.deb'
	@echo 'make clean    removes build/'
	@echo
	@echo 'PICOLIBC=prefix  a picolibc already built, instead of fetching and building one'
	@echo 'LWIP=folder      an lwIP already unpacked, instead of fetching one'
	@echo 'QRCODEGEN=folder   a qrcodegen already unpacked, instead of fetching one'
	@echo 'UPLOT=folder     a uPlot already unpacked, instead of fetching one'
	@echo 'SPLEEN=folder    console fonts of Spleen, instead of those of the package'

clean:
	rm -rf build

ifndef INNER
# ---------------------------------------------------------------------------------------------
# The outer make

INNER_GOALS := $(filter-out help setup clean,$(GOALS))
TESTING := test pictures test-programs firmware matrix fuzz fuzz-coverage corpus same-bytes bench mutants answers
CHECKING := check unit lint format
PURPOSES := $(if $(filter $(TESTING),$(GOALS)),test,$(if $(filter $(CHECKING) lint-%,$(GOALS)),check,build)) \
    $(filter fresh bench site web,$(GOALS)) $(if $(filter deb iso disks media release,$(GOALS)),package)
# These do without the C library.
NEEDS_LIBRARY := $(filter-out fresh tools unit fuzz fuzz-coverage corpus format docs links site \
    uninstall build/tare web,$(INNER_GOALS))
# These do without the sources of the TCP/IP stack and of the generator of QR codes.
NEEDS_SOURCES := $(filter-out fresh format links lint-names lint-modules lint-cycles lint-format lint-counts uninstall, \
    $(INNER_GOALS))
# These do without the chart library.
NEEDS_CHARTS := $(filter-out fresh image links uninstall format lint lint-names lint-format lint-tidy lint-cppcheck, \
    $(INNER_GOALS))

setup: $(filter clean,$(GOALS))
	@for purpose in $(PURPOSES); do tools/build/setup.sh $$purpose || exit; done

.PHONY: inner $(INNER_GOALS)
$(INNER_GOALS): inner
	@:

# -j is for the inner make: as many jobs as there are processors if none is given. What `make run`
# builds is only counted: the results are its output.
inner: setup
	+@picolibc=$(if $(NEEDS_LIBRARY),$$(tools/build/picolibc.sh)) || exit; \
	lwip=$(if $(NEEDS_SOURCES),$$(tools/build/source.sh lwip)) || exit; \
	qrcodegen=$(if $(NEEDS_SOURCES),$$(tools/build/source.sh qrcodegen)) || exit; \
	uplot=$(if $(NEEDS_CHARTS),$$(tools/build/npm.sh uplot)) || exit; \
	case "$$MAKEFLAGS" in *-j*) jobs= ;; *) jobs=-j$$(nproc) ;; esac; \
	export TEST_STARTED="$$(date +%s)"; \
	set -- $$jobs INNER=1 PICOLIBC="$$picolibc" LWIP="$$lwip" QRCODEGEN="$$qrcodegen" UPLOT="$$uplot"; \
	$(if $(filter run,$(INNER_GOALS)),tools/build/quietly.sh) $(MAKE) "$$@" $(patsubst run,all,$(INNER_GOALS))
	$(if $(filter run,$(INNER_GOALS)),@$(RUN))

else
# ---------------------------------------------------------------------------------------------
# The inner make

CC := gcc
LD := ld
AR := ar
GNU_EFI_INCLUDE ?= /usr/include/efi
GNU_EFI_LIB ?= /usr/lib

# lwIP, the TCP/IP stack, and qrcodegen, the generator of QR codes (foreign.mk). lwipopts.h and arch/cc.h
# are the port's.
LWIP_COPY := build/lwip/copied
QRCODEGEN_COPY := build/qrcodegen/copied
FOREIGN_INCLUDES := -isystem kernel/net/port -isystem build/lwip/src/include -isystem build/lwip/src \
    -isystem build/qrcodegen/src

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
OPTIMISE := -O2 -g
COMMON_FLAGS := -std=gnu17 $(OPTIMISE) -I. $(FOREIGN_INCLUDES) $(WARNINGS) -fno-omit-frame-pointer -MMD -MP
BOOT_FLAGS := -DGNU_EFI_USE_MS_ABI -fshort-wchar -maccumulate-outgoing-args \
    -isystem $(GNU_EFI_INCLUDE) -isystem $(GNU_EFI_INCLUDE)/x86_64

.PHONY: all image tools FORCE
all: image tools
image: build/image/tare.efi build/image/tare-smp.efi build/image/tare.img
tools: build/tare

# A list is rewritten only when it changes, so that what depends on it is made again after a
# source was added or removed, or another library was chosen.
define list
@mkdir -p $(@D)
@echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
endef

BUILD_FILES := Makefile $(wildcard tools/build/*.mk)
include tools/build/folders.mk
include tools/build/image.mk
include tools/build/host.mk
include tools/build/web.mk
include tools/build/install.mk
# These goals need nothing of the tests, whose rules take as long to read as all others.
ifneq ($(filter-out all image tools run install uninstall deb iso disks disk-image media release docs web site help-files format \
    links lint lint-% tidy-clean build/tidy/% build/tare build/image/tare% build/image/obj/%,$(GOALS)),)
include tools/build/tests.mk
endif
include tools/build/foreign.mk
include tools/build/lint.mk

run: all
	@$(RUN)

# Documents: lists that come from the code, and the links of what is written by hand.
.PHONY: docs links
docs: build/tare
	@tools/build/lists.sh build/docs
links: lint-links

.PHONY: run
.SECONDARY:

endif
