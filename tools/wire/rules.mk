# SPDX-License-Identifier: BSD-2-Clause

# A session waits; its fuzzer does not.
fuzz_wraps.fuzz_session := monotonic_ms sleep_ms poll
