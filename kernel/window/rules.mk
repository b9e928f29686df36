# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := batch request
ring3 := batch request
