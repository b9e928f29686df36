# SPDX-License-Identifier: BSD-2-Clause

# Switches, system calls and locks are measured: built for speed.
optimise := speed
small := costs session thread
tested := switch
