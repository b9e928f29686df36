# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := rules rules_clock rules_latency rules_noise rules_run
