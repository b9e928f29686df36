# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := code_list fault_text program refused
