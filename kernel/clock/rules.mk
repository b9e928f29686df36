# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := invariant stated verdict
