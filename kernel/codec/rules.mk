# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := range_coder mixer text_codec text_dictionary series_codec trace_codec
