#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Libraries that the build gets by itself, where they cannot be had: the error names the cure.
set -u

. tools/tests/support/lib.sh

# A machine whose apt gets nothing.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/apt-get"
chmod +x "$work/bin/apt-get"

# without NAME SCRIPT: nothing cached, nothing to be had.
without() {
    expect_status "downloads: $1: nothing to be had" 1 \
        env -u LWIP -u PICOLIBC TARE_CACHE="$work/cache" PATH="$work/bin:$PATH" "tools/build/$1.sh"
    check "downloads: $1: where to put it" "$(cat "$work/output")" \
        grep -q "$work/cache/$1_.*orig.tar" "$work/output"
    check "downloads: $1: what it is" "$(cat "$work/output")" grep -qE 'SHA-256 [0-9a-f]{64}' "$work/output"
}

without lwip
without picolibc
expect_status 'downloads: a folder without lwIP' 1 env LWIP="$work" tools/build/lwip.sh
check 'downloads: what it lacks' "$(cat "$work/output")" grep -q 'no src/include/lwip/init.h in it' "$work/output"

# Another file than the one that is meant is not taken, whatever its name.
echo other >"$work/cache/lwip_2.2.1+dfsg1.orig.tar.xz"
without lwip
finish
