# SPDX-License-Identifier: BSD-2-Clause

# Some run under Linux as well.
optimise := size
hosted := bandwidth chase stride tlb chain kernels streams
