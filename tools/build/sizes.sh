#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/sizes.sh FILE...: prints the size of each file, and its size on disk, in bytes.
set -eu

printf '%10s %10s  %s\n' bytes 'on disk' file
for file; do
    # shellcheck disable=SC2046 # two numbers
    set -- $(stat -c '%s %b' "$file")
    printf '%10d %10d  %s\n' "$1" $(($2 * 512)) "$file"
done
