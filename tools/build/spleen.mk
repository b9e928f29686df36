# SPDX-License-Identifier: BSD-2-Clause
#
# Spleen, the font of the machine's screen: kernel/screen links the glyphs that are made here of the
# console fonts in the folder SPLEEN.

SPLEEN ?= /usr/share/consolefonts
build/spleen/from.list: FORCE
	$(call list,$(SPLEEN))
build/spleen/spleen.c: build/spleen/from.list tools/build/spleen.sh
	@mkdir -p $(@D)
	@echo '  SPLEEN  $@'
	@tools/build/spleen.sh '$(SPLEEN)' >$@
