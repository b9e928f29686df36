# SPDX-License-Identifier: BSD-2-Clause
#
# Installation, manual pages, completions, the Debian package, media, and a release with all of them.

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/^.define TARE_VERSION "\(.*\)"/\1/p' kernel/plan/version.h)
# The date of this version, used wherever a date is stored: the same sources give the same package.
RELEASED := $(or $(SOURCE_DATE_EPOCH),1795305600)
PACKAGE := build/tare_$(VERSION)_amd64.deb

HELP_FILES := build/help/man/tare.1
DOCUMENTS := $(shell tools/build/documents.sh --list)

.PHONY: help-files install uninstall deb
help-files: $(HELP_FILES)
# This goal makes all manual pages.
build/help/man/tare.1: build/tare build/image/tare.efi build/image/tare-smp.efi tools/cmd/man.sh tools/cmd/tare.h2m tools/cmd/examples tools/cmd/pages \
    $(DOCUMENTS) $(BUILD_FILES)
	@echo '  MAN     build/help/man'
	@rm -rf $(@D)
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/cmd/man.sh build/tare $(@D)

# The READMEs as they are installed, and as a site.
build/documents/README.md: tools/build/documents.sh $(DOCUMENTS)
	@rm -rf $(@D)
	@tools/build/documents.sh $(@D)
.PHONY: site
site: tools/build/documents.sh $(DOCUMENTS)
	@tools/build/documents.sh --site build/site
	@echo '  SITE    build/site/site/index.html'

# The licences of the code that is linked into the image.
LICENCES := $(addprefix build/licences/,picolibc gnu-efi lwip qrcodegen spleen)
build/licences/spleen: /usr/share/doc/fonts-spleen/copyright
	@mkdir -p $(@D)
	@cp $< $@
build/licences/lwip: $(LWIP_COPY)
	@mkdir -p $(@D)
	@cp build/lwip/COPYING $@
build/licences/qrcodegen: $(QRCODEGEN_COPY)
	@mkdir -p $(@D)
	@sed -n '/^License$$/,$$p' build/qrcodegen/COPYING >$@
build/licences/picolibc: build/image/library.list
	@mkdir -p $(@D)
	@cp $(PICOLIBC)/COPYING $@
build/licences/gnu-efi: /usr/share/doc/gnu-efi/copyright
	@mkdir -p $(@D)
	@cp $< $@

install: all $(HELP_FILES) build/documents/README.md build/uplot/LICENSE $(LICENCES)
	tools/build/install.sh install '$(DESTDIR)$(PREFIX)'

uninstall:
	tools/build/install.sh uninstall '$(DESTDIR)$(PREFIX)'

deb: $(PACKAGE)
$(PACKAGE): build/tare build/image/tare.efi build/image/tare-smp.efi build/image/tare.img LICENSE tools/build/deb.sh \
    tools/build/install.sh $(HELP_FILES) build/documents/README.md build/uplot/LICENSE $(LICENCES)
	@echo '  DEB     $@'
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/build/deb.sh $(VERSION) build/deb $@

# Media: the USB stick, the ISO image, virtual disks.

MEDIA := build/media
MEDIA_SOURCES := build/image/tare.efi build/image/tare-smp.efi tools/build/mkimage.sh build/tare $(MEDIA)/legacy.bin

# Files have the date of the release: the same sources give the same media.
$(MEDIA)/% build/image/tare.img build/image/tare-disk.img: export SOURCE_DATE_EPOCH := $(RELEASED)

$(MEDIA)/legacy.bin: tools/build/legacy.S $(BUILD_FILES)
	$(call step,BOOT16,$@)
	@$(CC) -m32 -c -o $@.o $<
	@$(LD) -m elf_i386 -Ttext 0x7c00 --oformat binary -o $@ $@.o

# The USB stick.
build/image/tare.img: $(MEDIA_SOURCES)
	@echo '  MKIMAGE $@'
	@tools/build/mkimage.sh --small --boot-code $(MEDIA)/legacy.bin $@ $<

# A disk with the partition that disk benches read: size of BENCH.DAT in MiB. Tests need only a small one.
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
	$$(call step,MKDISK,$$@)
	@tools/build/mkdisk.sh $(1) $$@ $$<
endef
$(eval $(call disk,qcow2,tare.qcow2))
$(eval $(call disk,vmdk,tare.vmdk))
$(eval $(call disk,vmdk-stream,tare-stream.vmdk))
$(eval $(call disk,vhd,tare.vhd))
$(eval $(call disk,vhd-dynamic,tare-dynamic.vhd))

MEDIA_DISKS := $(addprefix $(MEDIA)/,tare.qcow2 tare.vmdk tare-stream.vmdk tare.vhd tare-dynamic.vhd)
MEDIA_FILES := build/image/tare.efi build/image/tare-smp.efi build/image/tare.img $(MEDIA)/tare.iso $(MEDIA_DISKS)

.PHONY: iso disks disk-image media
iso: $(MEDIA)/tare.iso
disks: $(MEDIA_DISKS)
disk-image: build/image/tare-disk.img
media: $(MEDIA_FILES)
	@tools/build/sizes.sh $(MEDIA_FILES)

# All files that a release publishes, with checksums.
.PHONY: release
release: $(MEDIA_FILES) $(PACKAGE) build/web/tare.html tools/build/release.sh
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/build/release.sh $(VERSION) build/release $(MEDIA_FILES) $(PACKAGE) build/web/tare.html
	@tools/build/sizes.sh build/release/*
	@echo "tag it: git tag -a v$(VERSION) -m 'tare $(VERSION)'"
