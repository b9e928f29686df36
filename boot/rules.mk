# SPDX-License-Identifier: BSD-2-Clause

# What knows UEFI.
optimise := size
flags := $(BOOT_FLAGS)
tested := encrypted memory_map date image_folder
test_flags := $(BOOT_FLAGS)
