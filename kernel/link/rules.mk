# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := coded crc32c cobs frame lava live_gaps residual base64 record request
