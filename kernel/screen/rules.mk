# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := font surface
ring3 := font surface
