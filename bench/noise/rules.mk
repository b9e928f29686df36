# SPDX-License-Identifier: BSD-2-Clause

optimise := speed
pure := inject
