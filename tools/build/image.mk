# SPDX-License-Identifier: BSD-2-Clause
#
# The image: compiled freestanding, linked at 0, converted to the PE file that firmware loads.

# The same input gives the same image, wherever the checkout is.
MAP_FLAGS := -ffile-prefix-map=$(CURDIR)=.
# Instructions stay in the order of the source. Scheduling does not change their number, but some exact
# figures would change, because interrupts would occur between other instructions.
ORDER_FLAGS := -fno-schedule-insns2
GCC_INCLUDE := $(shell $(CC) -print-file-name=include)
IMAGE_FLAGS := $(COMMON_FLAGS) $(MAP_FLAGS) -ffreestanding -nostdinc \
    -isystem $(PICOLIBC)/include -isystem $(GCC_INCLUDE) \
    -fpie -fvisibility=hidden -fno-stack-protector -mno-red-zone -mgeneral-regs-only \
    -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections $(ORDER_FLAGS)
IMAGE_LDFLAGS := -pie --no-dynamic-linker -z text -z defs -z noexecstack -z pack-relative-relocs -z max-page-size=4096 \
    --orphan-handling=error --gc-sections --fatal-warnings -T linker.ld

# Two images are made of the same sources: tare.efi, whose threads run on one processor, and tare-smp.efi, whose
# threads run on several. TARE_SMP is defined in the second one only; folders in SMP_FOLDERS belong to it alone.
SMP_FOLDERS := bench/smp
SMP_FLAGS := -DTARE_SMP=1
USER_FLAGS := -Os -fno-builtin -fno-tree-loop-distribute-patterns

# image_object VARIANT,FOLDER/,FLAGS: how sources are compiled for a variant, in one folder or in all.
define image_object
build/$(1)/obj/$(2)%.c.o: $(2)%.c $$(BUILD_FILES) build/$(1)/library.list
	$$(call step,CC,$$<)
	@$$(CC) $$(IMAGE_FLAGS) $(3) $$(EXTRA_FLAGS) -c -o $$@ $$<
endef
$(eval $(call image_object,image,,))
$(eval $(foreach folder,$(SMP_FOLDERS),$(call image_object,smp,$(folder)/,$(SMP_FLAGS))))
# A source that sees TARE_SMP nowhere, itself or in a header, has the same object in both images.
SEES_SMP := $(addprefix -e ,$(shell grep -lrw TARE_SMP boot kernel bench))
build/smp/obj/%.c.o: build/image/obj/%.c.o build/smp/library.list
	@[ -d $(@D) ] || mkdir -p $(@D)
	@if grep -qwF $(SEES_SMP) $(<:.o=.d); then printf '  CC      %s\n' '$*.c' && \
	    $(CC) $(IMAGE_FLAGS) $(SMP_FLAGS) $(EXTRA_FLAGS) -c -o $@ $*.c; else rm -f $(@:.o=.d) && cp $< $@; fi

# image_variant VARIANT,NAME,FOLDERS,FLAGS: the image build/image/NAME.efi, with its objects in build/VARIANT/obj.
#
# Linked in the order of their names: moving a file to another folder does not change the image. Code that runs in
# ring 3 has names that all begin with user_, defined or needed, so that code of ring 0 cannot be called or shared
# by mistake; linker.ld puts it into pages of ring 3. It has no data: it writes only to the memory of the process.
#
# libgcc is not linked: it is built with a red zone, which interrupts on the same stack overwrite. The image is
# linked twice: the table of function names is made from the first link.
define image_variant
$(1)_sources := $$(call by_name,$$(foreach folder,$(3), \
    $$(filter-out $$(ring3_alone.$$(folder)),$$(call all_sources,$$(folder)))))
$(1)_user := $$(patsubst %,build/$(1)/obj/user/%.o,$$(call by_name,$$(foreach folder,$(3),$$(ring3.$$(folder)))))
$(1)_objects := $$(call objects,$(1),$$($(1)_sources)) $$($(1)_user) \
    $$(foreach folder,$(3),$$(call foreign_objects,$(1),$$(folder)))
$(1)_parts := $$(GNU_EFI_LIB)/crt0-efi-x86_64.o $$($(1)_objects) $$(GNU_EFI_LIB)/libgnuefi.a $$(PICOLIBC)/lib/libc.a

build/$(1)/library.list: FORCE
	$$(call list,$$(PICOLIBC))
build/$(1)/objects.list: FORCE
	$$(call list,$$($(1)_objects))

build/$(1)/obj/%.S.o: %.S $$(BUILD_FILES) build/$(1)/library.list
	$$(call step,AS,$$<)
	@$$(CC) $$(IMAGE_FLAGS) $(4) $$(EXTRA_FLAGS) -c -o $$@ $$<
build/$(1)/obj/user/%.c.o: %.c $$(BUILD_FILES) build/$(1)/library.list
	$$(call step,USERCC,$$<)
	@$$(CC) $$(IMAGE_FLAGS) $(4) $$(USER_FLAGS) -MF $$(@:.o=.d) -MT $$@ -c -o $$@.ring0 $$<
	@size -A $$@.ring0 | awk '/^\.(data|bss)/ && $$$$2 > 0 { print "$$<: " $$$$1 ": ring 3 has no data"; bad = 1 } \
	    END { exit bad }'
	@objcopy --prefix-symbols=user_ $$@.ring0 $$@

build/$(1)/nameless.elf: linker.ld $$($(1)_objects) build/$(1)/objects.list
	@echo '  LD      $$@'
	@$$(LD) $$(IMAGE_LDFLAGS) -o $$@ $$($(1)_parts)
build/$(1)/symbols.o: build/$(1)/nameless.elf tools/build/symbols.sh
	@echo '  SYMBOLS $$@'
	@tools/build/symbols.sh $$< >$$(@:.o=.s)
	@$$(CC) -Wa,--fatal-warnings -c -o $$@ $$(@:.o=.s)
build/image/$(2).elf: build/$(1)/nameless.elf build/$(1)/symbols.o
	@echo '  LD      $$@'
	@$$(LD) $$(IMAGE_LDFLAGS) -Map=build/image/$(2).map -o $$@ $$($(1)_parts) build/$(1)/symbols.o
-include $$($(1)_objects:.o=.d)

$$(foreach folder,$(3),$$(eval $$(call image_folder,$(1),$$(folder))))
endef

# image_folder VARIANT,FOLDER: how the code of a folder is optimised.
define image_folder
build/$(1)/obj/$(2)/%.o: EXTRA_FLAGS := $$(if $$(filter speed,$$(optimise.$(2))),,-Os) $$(flags.$(2))
$$(call objects,$(1),$$(small.$(2))): EXTRA_FLAGS := -Os $$(flags.$(2))
$$(call objects,$(1),$$(fast.$(2))): EXTRA_FLAGS := $$(flags.$(2))
endef

$(eval $(call image_variant,image,tare,$(filter-out $(SMP_FOLDERS),$(IMAGE_FOLDERS)),))
$(eval $(call image_variant,smp,tare-smp,$(IMAGE_FOLDERS),$(SMP_FLAGS)))

build/image/%.efi: build/image/%.elf tools/build/convert.sh
	@echo '  CONVERT $@'
	@tools/build/convert.sh $< $@
