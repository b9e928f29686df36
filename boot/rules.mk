# SPDX-License-Identifier: BSD-2-Clause

# What knows UEFI.
optimise := size
flags := $(BOOT_FLAGS)
tested := dhcp_answer encrypted memory_map date image_folder
test_flags := $(BOOT_FLAGS)
