# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := coded crc32c cobs frame lava live_gaps base64 record request
