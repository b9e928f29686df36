# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := param plan number port text_mark
