# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := event key script typist scancode mouse_packet
