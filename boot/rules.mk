# SPDX-License-Identifier: BSD-2-Clause

# What knows UEFI.
optimise := size
flags := $(BOOT_FLAGS)
pure := memory_map
tested := dhcp_answer encrypted date image_folder
test_flags := $(BOOT_FLAGS)
