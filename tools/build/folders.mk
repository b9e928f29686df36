# SPDX-License-Identifier: BSD-2-Clause
#
# Reads the rules.mk of each folder that holds code, and the table of rooms. A rules.mk lists what is
# special about its folder:
#
#     optimise    image: size or speed
#     fast small  image: the sources for which the other holds
#     flags       image: more flags of the compiler
#     pure        image: sources that touch no hardware; the host program and all tests have them too
#     hosted      image: benches, and what they time, that `tare host` runs under Linux
#     tested      image: sources that only tests of the host have too
#     ring3       image: sources that ring 3 has as well, as user_NAME (image.mk); `all`: it alone has them
#     libs        host: libraries that the room needs
#     apart       host: sources that neither the program nor tests have
#     foreign     objects that the room is linked with, made by another .mk
#     needs.NAME  host: files that NAME.S includes
#     programs    tests: sources that are programs; all others of the folder are shared by them
#     test_flags  tests: more flags of the compiler
#     libs.NAME   tests: libraries of one program
#     fuzz_wraps.NAME  tests: functions that the fuzzer NAME replaces
#
# Sources are named without their ending.

FOLDERS := $(patsubst %/rules.mk,%,$(sort $(wildcard */rules.mk */*/rules.mk */*/*/rules.mk)))
IMAGE_FOLDERS := $(filter boot kernel kernel/% bench/%,$(FOLDERS))
TEST_ROOMS := $(filter tools/tests/%,$(FOLDERS))
# What QEMU loads: only tests link it.
PLUGIN_ROOM := tools/plugin
HOST_ROOMS := $(filter-out $(IMAGE_FOLDERS) $(TEST_ROOMS) $(PLUGIN_ROOM),$(FOLDERS))

# sources FOLDER,NAMES
sources = $(foreach name,$(2),$(wildcard $(1)/$(name).c $(1)/$(name).S))
all_sources = $(wildcard $(1)/*.c $(1)/*.S)
# foreign_objects VARIANT,FOLDER
foreign_objects = $(foreach name,$(foreign.$(2)),build/$(1)/obj/$(name).c.o)
# by_name SOURCES: in the order of their names, whatever their folder.
by_name = $(foreach name,$(sort $(notdir $(1))),$(filter %/$(name),$(1)))
objects = $(patsubst %,build/$(1)/obj/%.o,$(2))

define enter_folder
optimise :=
fast :=
small :=
flags :=
pure :=
hosted :=
tested :=
ring3 :=
libs :=
apart :=
foreign :=
programs :=
test_flags :=
include $(1)/rules.mk
optimise.$(1) := $$(optimise)
fast.$(1) := $$(fast)
small.$(1) := $$(small)
flags.$(1) := $$(flags)
pure.$(1) := $$(call sources,$(1),$$(pure))
hosted.$(1) := $$(call sources,$(1),$$(hosted))
tested.$(1) := $$(call sources,$(1),$$(tested))
ring3.$(1) := $$(if $$(filter all,$$(ring3)),$$(call all_sources,$(1)),$$(call sources,$(1),$$(ring3)))
ring3_alone.$(1) := $$(if $$(filter all,$$(ring3)),$$(ring3.$(1)))
libs.$(1) := $$(libs)
apart.$(1) := $$(call sources,$(1),$$(apart))
foreign.$(1) := $$(foreign)
programs.$(1) := $$(call sources,$(1),$$(programs))
test_flags.$(1) := $$(test_flags)
endef
$(foreach folder,$(FOLDERS),$(eval $(call enter_folder,$(folder))))

PURE_SOURCES := $(foreach folder,$(IMAGE_FOLDERS),$(pure.$(folder)))
HOSTED_SOURCES := $(call by_name,$(foreach folder,$(IMAGE_FOLDERS),$(hosted.$(folder))))

# room_sources ROOM: what of it the host has.
room_sources = $(if $(filter $(1),$(IMAGE_FOLDERS)),$(pure.$(1)), \
    $(filter-out $(programs.$(1)) $(apart.$(1)) $(1)/unit_% $(1)/fuzz_%,$(call all_sources,$(1))))

# uses.ROOM and, with all that those use in turn, reach.ROOM.
build/rooms.mk: tools/build/rooms tools/build/rooms.awk
	@mkdir -p $(@D)
	@awk -f tools/build/rooms.awk $< >$@
include build/rooms.mk

# A source that no folder's rules.mk takes in would be left out without a message.
source_folders := $(sort $(patsubst %/,%,$(dir $(wildcard $(foreach depth,/* /*/* /*/*/*, \
    $(foreach ending,c S,$(addsuffix $(depth).$(ending),boot kernel bench tools)))))))
strays := $(filter-out $(FOLDERS) %/tests,$(source_folders))
$(foreach folder,$(strays),$(error $(firstword $(wildcard $(folder)/*.c $(folder)/*.S)): \
    $(folder)/ has no rules.mk; move the file into a folder that has one, or write one))
