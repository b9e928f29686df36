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

# without NAME COMMAND...: nothing cached, nothing to be had.
without() {
    without_name=$1
    shift
    expect_status "downloads: $without_name: nothing to be had" 1 \
        env -u LWIP -u QRCODEGEN -u PICOLIBC TARE_CACHE="$work/cache" PATH="$work/bin:$PATH" "$@"
    check "downloads: $without_name: where to put it" "$(cat "$work/output")" \
        grep -q "$work/cache/${without_name}_.*orig.tar" "$work/output"
    check "downloads: $without_name: what it is" "$(cat "$work/output")" grep -qE 'SHA-256 [0-9a-f]{64}' "$work/output"
}

without lwip tools/build/source.sh lwip
without qr-code-generator tools/build/source.sh qrcodegen
without picolibc tools/build/picolibc.sh
expect_status 'downloads: a folder without lwIP' 1 env LWIP="$work" tools/build/source.sh lwip
check 'downloads: what it lacks' "$(cat "$work/output")" grep -q 'no src/include/lwip/init.h in it' "$work/output"

# Another file than the one that is meant is not taken, whatever its name.
echo other >"$work/cache/lwip_2.2.1+dfsg1.orig.tar.xz"
without lwip tools/build/source.sh lwip
finish
