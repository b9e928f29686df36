# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := text rows paragraph spelling typing
ring3 := text rows paragraph spelling typing
