#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/sizes.sh FILE...: the bytes of each file, and the bytes that it takes on a disk.
set -eu

printf '%10s %10s  %s\n' bytes 'on disk' file
for file; do
    # shellcheck disable=SC2046 # two numbers
    set -- $(stat -c '%s %b' "$file")
    printf '%10d %10d  %s\n' "$1" $(($2 * 512)) "$file"
done
