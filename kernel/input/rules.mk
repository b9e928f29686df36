# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := event key script script_class typist scancode mouse_packet
ring3 := key typist
