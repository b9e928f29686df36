# SPDX-License-Identifier: BSD-2-Clause

# Peers that `make bench` compares with; each is built by its own rule in tools/build/tests.mk.
programs := bench_record bench_lttng linux_guest
