# SPDX-License-Identifier: BSD-2-Clause

# A program of a Linux guest; it is built by its own rule in tools/build/tests.mk.
programs := linux_services
