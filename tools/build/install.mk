# SPDX-License-Identifier: BSD-2-Clause
#
# Installation, manual pages, completions and the Debian package.

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/^.define TARE_VERSION "\(.*\)"/\1/p' kernel/plan/version.h)
# The day of this version, for what holds a date: the same sources give the same package.
RELEASED := $(or $(SOURCE_DATE_EPOCH),1795305600)
PACKAGE := build/tare_$(VERSION)_amd64.deb

HELP_FILES := build/help/man/tare.1

.PHONY: help-files install uninstall deb
help-files: $(HELP_FILES)
# All pages.
build/help/man/tare.1: build/tare $(wildcard tools/cmd/man.sh tools/cmd/*.h2m) \
    $(BUILD_FILES)
	@echo '  MAN     build/help/man'
	@rm -rf $(@D)
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/cmd/man.sh build/tare $(@D)

# Of what is linked into the image.
LICENCES := build/licences/picolibc build/licences/gnu-efi build/licences/lwip build/licences/spleen
build/licences/spleen: /usr/share/doc/fonts-spleen/copyright
	@mkdir -p $(@D)
	@cp $< $@
build/licences/lwip: $(LWIP_COPY)
	@mkdir -p $(@D)
	@cp build/lwip/COPYING $@
build/licences/picolibc: build/image/library.list
	@mkdir -p $(@D)
	@cp $(PICOLIBC)/COPYING $@
build/licences/gnu-efi: /usr/share/doc/gnu-efi/copyright
	@mkdir -p $(@D)
	@cp $< $@

install: all $(HELP_FILES) build/uplot/LICENSE $(LICENCES)
	tools/build/install.sh install '$(DESTDIR)$(PREFIX)'

uninstall:
	tools/build/install.sh uninstall '$(DESTDIR)$(PREFIX)'

deb: $(PACKAGE)
$(PACKAGE): build/tare build/image/tare.efi build/image/tare.img README.md LICENSE tools/build/deb.sh \
    tools/build/install.sh $(HELP_FILES) build/uplot/LICENSE $(LICENCES)
	@echo '  DEB     $@'
	@SOURCE_DATE_EPOCH=$(RELEASED) tools/build/deb.sh $(VERSION) build/deb $@

