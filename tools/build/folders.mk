# SPDX-License-Identifier: BSD-2-Clause
#
# The folders with code, and their special properties: the table of modules (tools/build/modules).

# sources FOLDER,NAMES
sources = $(foreach name,$(2),$(wildcard $(1)/$(name).c $(1)/$(name).S))
all_sources = $(wildcard $(1)/*.c $(1)/*.S)
# foreign_objects VARIANT,FOLDER
foreign_objects = $(foreach name,$(foreign.$(2)),build/$(1)/obj/$(name).c.o)
# by_name SOURCES: sorted by file name, in whatever folders.
by_name = $(foreach name,$(sort $(notdir $(1))),$(filter %/$(name),$(1)))
objects = $(patsubst %,build/$(1)/obj/%.o,$(2))
# step NAME,GOAL: makes the goal's folder, and prints a line with the name of the step and the goal.
step = @[ -d $(@D) ] || mkdir -p $(@D); printf '  %-7s %s\n' '$(1)' '$(2)'

# The table as make variables, made by modules.awk.
modules_made := $(shell mkdir -p build; test build/modules.mk -nt tools/build/modules -a build/modules.mk -nt tools/build/modules.awk || \
    { awk -f tools/build/modules.awk tools/build/modules >build/modules.new && mv build/modules.new build/modules.mk; } || echo failed)
$(if $(modules_made),$(error the table of modules cannot be read))
FOLDERS :=
include build/modules.mk

FOLDERS := $(sort $(FOLDERS))
# bench/GROUP/host, with its parts, is the part of a group that belongs to the host program.
BENCH_HOSTS := $(foreach folder,$(filter bench/%,$(FOLDERS)),$(if $(findstring /host/,$(folder)/),$(folder)))
IMAGE_FOLDERS := $(filter-out $(BENCH_HOSTS),$(filter boot kernel kernel/% bench/%,$(FOLDERS)))
TEST_MODULES := $(filter tools/tests/%,$(FOLDERS))
# The image that QEMU loads: only tests link it.
PLUGIN_MODULE := tools/qemu/plugin
HOST_MODULES := $(filter-out $(IMAGE_FOLDERS) $(TEST_MODULES) $(PLUGIN_MODULE),$(FOLDERS))

PURE_SOURCES := $(foreach folder,$(IMAGE_FOLDERS),$(pure.$(folder)))
HOSTED_SOURCES := $(call by_name,$(foreach folder,$(IMAGE_FOLDERS),$(hosted.$(folder))))

# module_sources MODULE: the module's sources that the host program has.
module_sources = $(if $(filter $(1),$(IMAGE_FOLDERS)),$(pure.$(1)), \
    $(filter-out $(programs.$(1)) $(apart.$(1)) $(1)/unit_% $(1)/fuzz_%,$(call all_sources,$(1))))

# A source in a folder that is not in the table would be left out without a message.
source_folders := $(sort $(patsubst %/,%,$(dir $(wildcard $(foreach depth,/* /*/* /*/*/* /*/*/*/*, \
    $(foreach ending,c S,$(addsuffix $(depth).$(ending),boot kernel bench tools)))))))
strays := $(filter-out $(FOLDERS) %/tests,$(source_folders))
$(foreach folder,$(strays),$(error $(firstword $(wildcard $(folder)/*.c $(folder)/*.S)): \
    $(folder)/ is no module of tools/build/modules; move the file into one, or add a line for it))
