# SPDX-License-Identifier: BSD-2-Clause

optimise := speed
pure := address wire_law
