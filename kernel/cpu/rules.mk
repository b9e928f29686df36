# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := cpuid cache kind mwait topology
