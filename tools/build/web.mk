# SPDX-License-Identifier: BSD-2-Clause
#
# build/web/tare.html: the host program as WebAssembly in one page (tools/web/README.md).

WEB_CC := clang-14 --target=wasm32-wasi
WEB_FLAGS := -Os $(filter-out -O2 -g -fno-omit-frame-pointer,$(COMMON_FLAGS)) -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL \
    -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_PROCESS_CLOCKS -ffunction-sections -fdata-sections -Wno-missing-field-initializers -Wno-ignored-attributes \
    -include tools/web/port.h

# What needs Linux, x86, another process, or a library that WebAssembly does not have; tools/web/port.c has what the
# rest uses of it. The page has only the commands that read runs.
WEB_COMMANDS := $(addprefix tools/cmd/,page_file.c shared_options.c tare_compare.c \
    tare_report.c)
WEB_NOT := $(addsuffix /%,tools/qemu tools/under tools/linux tools/store tools/sim/results tools/shots tools/build kernel/net kernel/dev) kernel/cpu/known_loop.S \
    $(addprefix tools/base/,interrupt.c line.c output_file.c sha256.c) tools/wire/logfile.c tools/wire/line_test.c \
    tools/export/screens.c bench/interactive/window/take.c kernel/screen/surface.c kernel/screen/code.c bench/interactive/host/claims.c tools/finding/digest_tables.c \
    $(filter-out $(WEB_COMMANDS),$(wildcard tools/cmd/*.c))
WEB_SOURCES := $(filter-out $(WEB_NOT),$(foreach module,$(reach.tools/web),$(call module_sources,$(module)))) \
    $(filter-out tools/web/camera.c,$(wildcard tools/web/*.c))
WEB_OBJECTS := $(call objects,web,$(WEB_SOURCES))

# What `tare show` prints of a bench (.show of its plug-in) is not linked.
build/web/obj/%.c.o: %.c $(BUILD_FILES)
	$(call step,WEBCC,$<)
	@sed -E 's/\.show = [a-z_]+/.show = NULL/' $< | $(WEB_CC) $(WEB_FLAGS) -Wno-unused-function -MT $@ -MF $(@:.o=.d) -x c -c -o $@ -
build/web/obj/%.S.o: %.S $(BUILD_FILES)
	$(call step,WEBAS,$<)
	@sed 's/\.section \.rodata.*/.section .rodata.$(*F),"",@/; /note\.GNU/d' $< | $(WEB_CC) -x assembler -c -o $@ -

build/web/linked.wasm: $(WEB_OBJECTS)
	@echo '  WEBLD   $@'
	@$(WEB_CC) -o $@ $(WEB_OBJECTS) -Wl,--gc-sections,--strip-all,-z,stack-size=1048576 \
	    -lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-process-clocks

# What reads QR codes: the library qr in a Worker, and the gatherer of kernel/link.
QR ?= $(shell tools/build/npm.sh qr)
build/web/reader.js: tools/web/camera_worker.js tools/build/npm.sh
	@{ echo '/*'; cat $(QR)/LICENSE-MIT; echo '*/'; } >$@
	@esbuild $(QR)/decode.js --bundle --minify --format=iife --global-name=qr --log-level=warning >>$@
	@cat $< >>$@
CAMERA_OBJECTS := $(call objects,web,tools/web/camera.c kernel/link/screen_blocks.c kernel/link/encoding.c kernel/plan/draw.c)
build/web/camera.wasm: $(CAMERA_OBJECTS)
	@$(WEB_CC) -nostartfiles -o $@ $^ -Wl,--no-entry,--gc-sections,--strip-all

# Each line @NAME@ of the page becomes the file of that name.
.PHONY: web
web: build/web/tare.html
build/web/tare.wasm: build/web/linked.wasm
	@wasm-opt -Os --strip-debug --strip-producers -o $@ $<
build/web/program: build/web/tare.wasm
build/web/gatherer: build/web/camera.wasm
build/web/reader: build/web/reader.js
WEB_PACKED := $(addprefix build/web/,program gatherer reader)
$(WEB_PACKED):
	@zopfli -c $< | base64 -w 0 >$@
build/web/tare.html: $(WEB_PACKED) $(wildcard tools/web/*.js tools/web/*.html)
	$(call step,PAGE,$@)
	@sed $(foreach file,$(WEB_PACKED) $(addprefix tools/web/,wasi.js serial.js page.js camera.js), \
	    -e '/^@$(basename $(notdir $(file)))@/{r $(file)' -e 'd}') tools/web/page.html >$@

-include $(patsubst %.o,%.d,$(WEB_OBJECTS) $(CAMERA_OBJECTS))
