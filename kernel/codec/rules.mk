# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := text_codec series_codec trace_codec
