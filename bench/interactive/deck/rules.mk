# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := deck
ring3 := deck
