# SPDX-License-Identifier: BSD-2-Clause

# Some run under Linux as well.
optimise := size
hosted := call clockread loop kernels
