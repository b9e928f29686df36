# SPDX-License-Identifier: BSD-2-Clause

# Start of the kernel, and ownership of the machine.
optimise := size
