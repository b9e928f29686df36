# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := registry bench_values spread summary_rows worst
