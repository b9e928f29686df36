# SPDX-License-Identifier: BSD-2-Clause

# Firmware's side: what knows UEFI.
optimise := size
flags := $(BOOT_FLAGS)
tested := unpack lzma executable memory_map date
test_flags := $(BOOT_FLAGS)
