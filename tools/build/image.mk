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
IMAGE_LDFLAGS := -pie --no-dynamic-linker -z text -z defs -z noexecstack -z max-page-size=4096 \
    --orphan-handling=error --gc-sections --fatal-warnings -T linker.ld

# Linked in the order of their names: moving a file to another folder does not change the image.
IMAGE_SOURCES := $(call by_name,$(foreach folder,$(IMAGE_FOLDERS), \
    $(filter-out $(ring3_alone.$(folder)),$(call all_sources,$(folder)))))
# Code that runs in ring 3: every symbol, defined or needed, has a name that begins with user_, so that
# code of ring 0 cannot be called or shared by mistake. linker.ld puts it into pages of ring 3.
USER_SOURCES := $(call by_name,$(foreach folder,$(IMAGE_FOLDERS),$(ring3.$(folder))))
USER_OBJECTS := $(patsubst %,build/image/obj/user/%.o,$(USER_SOURCES))
USER_FLAGS := -Os -fno-builtin -fno-tree-loop-distribute-patterns
IMAGE_OBJECTS := $(call objects,image,$(IMAGE_SOURCES)) $(USER_OBJECTS) \
    $(foreach folder,$(IMAGE_FOLDERS),$(call foreign_objects,image,$(folder)))

define image_folder
build/image/obj/$(1)/%.o: EXTRA_FLAGS := $$(if $$(filter speed,$$(optimise.$(1))),,-Os) $$(flags.$(1))
$$(call objects,image,$$(small.$(1))): EXTRA_FLAGS := -Os $$(flags.$(1))
$$(call objects,image,$$(fast.$(1))): EXTRA_FLAGS := $$(flags.$(1))
endef
$(foreach folder,$(IMAGE_FOLDERS),$(eval $(call image_folder,$(folder))))

build/image/library.list: FORCE
	$(call list,$(PICOLIBC))
build/image/objects.list: FORCE
	$(call list,$(IMAGE_OBJECTS))

build/image/obj/%.c.o: %.c $(BUILD_FILES) build/image/library.list
	$(call step,CC,$<)
	@$(CC) $(IMAGE_FLAGS) $(EXTRA_FLAGS) -c -o $@ $<
build/image/obj/%.S.o: %.S $(BUILD_FILES) build/image/library.list
	$(call step,AS,$<)
	@$(CC) $(IMAGE_FLAGS) $(EXTRA_FLAGS) -c -o $@ $<

# This code has no data: it writes only to the memory of the process.
build/image/obj/user/%.c.o: %.c $(BUILD_FILES) build/image/library.list
	$(call step,USERCC,$<)
	@$(CC) $(IMAGE_FLAGS) $(USER_FLAGS) -MF $(@:.o=.d) -MT $@ -c -o $@.ring0 $<
	@size -A $@.ring0 | awk '/^\.(data|bss)/ && $$2 > 0 { print "$<: " $$1 ": ring 3 has no data"; bad = 1 } \
	    END { exit bad }'
	@objcopy --prefix-symbols=user_ $@.ring0 $@

# libgcc is not linked: it is built with a red zone, which interrupts on the same stack overwrite. The image
# is linked twice: the table of function names is made from the first link.
IMAGE_PARTS := $(GNU_EFI_LIB)/crt0-efi-x86_64.o $(IMAGE_OBJECTS) $(GNU_EFI_LIB)/libgnuefi.a \
    $(PICOLIBC)/lib/libc.a
build/image/nameless.elf: linker.ld $(IMAGE_OBJECTS) build/image/objects.list
	@echo '  LD      $@'
	@$(LD) $(IMAGE_LDFLAGS) -o $@ $(IMAGE_PARTS)

build/image/symbols.o: build/image/nameless.elf tools/build/symbols.sh
	@echo '  SYMBOLS $@'
	@tools/build/symbols.sh $< >$(@:.o=.s)
	@$(CC) -Wa,--fatal-warnings -c -o $@ $(@:.o=.s)

build/image/tare.elf: build/image/nameless.elf build/image/symbols.o
	@echo '  LD      $@'
	@$(LD) $(IMAGE_LDFLAGS) -Map=build/image/tare.map -o $@ $(IMAGE_PARTS) build/image/symbols.o

build/image/tare.efi: build/image/tare.elf tools/build/convert.sh
	@echo '  CONVERT $@'
	@tools/build/convert.sh $< $@

-include $(IMAGE_OBJECTS:.o=.d)
