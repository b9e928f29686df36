# SPDX-License-Identifier: BSD-2-Clause

optimise := size
pure := crc32c cobs frame residual base64 record request
