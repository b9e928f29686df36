# SPDX-License-Identifier: BSD-2-Clause

# An EFI program; it is built by its own rule in tools/build/tests.mk.
apart := special
