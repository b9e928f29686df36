# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := font glyphs grid surface
ring3 := font surface
# The glyphs (tools/build/spleen.mk).
foreign := build/spleen/spleen
