# SPDX-License-Identifier: BSD-2-Clause

# Known answers of SHA-256.
libs.unit_checksum := -lmd
