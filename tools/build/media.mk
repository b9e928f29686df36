# SPDX-License-Identifier: BSD-2-Clause
#
# Media: the stick, the ISO image, virtual disks, and a release of them all.

MEDIA := build/media
MEDIA_SOURCES := build/image/tare.efi tools/build/mkimage.sh build/tare $(MEDIA)/legacy.bin

# Files are dated as the release is: the same sources give the same media.
$(MEDIA)/% build/image/tare.img build/image/tare-disk.img: export SOURCE_DATE_EPOCH := $(RELEASED)

$(MEDIA)/legacy.bin: tools/build/legacy.S $(BUILD_FILES)
	@mkdir -p $(@D)
	@echo '  BOOT16  $@'
	@$(CC) -m32 -c -o $@.o $<
	@$(LD) -m elf_i386 -Ttext 0x7c00 --oformat binary -o $@ $@.o

# The stick.
build/image/tare.img: $(MEDIA_SOURCES)
	@echo '  MKIMAGE $@'
	@tools/build/mkimage.sh --small --boot-code $(MEDIA)/legacy.bin $@ $<

# A disk with the partition that disk benches read: MiB of BENCH.DAT. Tests need little of it.
BENCH_MIB ?= 64
test: BENCH_MIB := 2
build/image/tare-disk.img: $(MEDIA_SOURCES)
	@echo '  MKIMAGE $@'
	@tools/build/mkimage.sh --mib $(BENCH_MIB) --boot-code $(MEDIA)/legacy.bin $@ $<

$(MEDIA)/tare.iso: $(MEDIA_SOURCES) tools/build/mkiso.sh
	@echo '  MKISO   $@'
	@tools/build/mkiso.sh $@ $< $(MEDIA)/legacy.bin

# disk KIND,FILE
define disk
$(MEDIA)/$(2): build/image/tare.img tools/build/mkdisk.sh
	@mkdir -p $$(@D)
	@echo '  MKDISK  $$@'
	@tools/build/mkdisk.sh $(1) $$@ $$<
endef
$(eval $(call disk,qcow2,tare.qcow2))
$(eval $(call disk,vmdk,tare.vmdk))
$(eval $(call disk,vmdk-stream,tare-stream.vmdk))
$(eval $(call disk,vhd,tare.vhd))
$(eval $(call disk,vhd-dynamic,tare-dynamic.vhd))

MEDIA_DISKS := $(addprefix $(MEDIA)/,tare.qcow2 tare.vmdk tare-stream.vmdk tare.vhd tare-dynamic.vhd)
MEDIA_FILES := build/image/tare.efi build/image/tare.img $(MEDIA)/tare.iso $(MEDIA_DISKS)

.PHONY: iso disks disk-image media
iso: $(MEDIA)/tare.iso
disks: $(MEDIA_DISKS)
disk-image: build/image/tare-disk.img
media: $(MEDIA_FILES)
	@tools/build/sizes.sh $(MEDIA_FILES)

# All that a release publishes, with checksums.
.PHONY: release
release: $(MEDIA_FILES) $(PACKAGE) tools/build/release.sh
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/build/release.sh $(VERSION) build/release $(MEDIA_FILES) $(PACKAGE)
	@tools/build/sizes.sh build/release/*
	@echo "tag it: git tag -a v$(VERSION) -m 'tare $(VERSION)'"
