# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := plan number port text_mark
