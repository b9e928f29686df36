# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := bench_values expectation finding_source registry settings spread summary_rows worst
