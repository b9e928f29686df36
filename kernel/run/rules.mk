# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := bench_values expectation registry spread summary_rows worst
