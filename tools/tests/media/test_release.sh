#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A release of the media: twice the same bytes, checksums that verify and find a changed file, and a
# changelog of the commits.
set -u

. tools/tests/support/lib.sh

media="build/image/tare.efi build/image/tare-smp.efi build/image/tare.img build/media/tare.iso build/media/tare-stream.vmdk build/media/tare.vhd"

release() {
    # shellcheck disable=SC2086 # words
    SOURCE_DATE_EPOCH=1795305600 tools/build/release.sh 1.2.3 "$1" $media
}

verified() {
    (cd "$1" && sha256sum -c --quiet SHA256SUMS) >"$work/verified" 2>&1
}

# Each file but the list itself is in the list.
all_listed() {
    (cd "$1" && find . -type f ! -name SHA256SUMS) | sed 's,^[.]/,,' | LC_ALL=C sort >"$work/names"
    sed 's/^[0-9a-f]*  //' "$1/SHA256SUMS" | LC_ALL=C sort | cmp -s - "$work/names"
}

check 'release: made' 'it is not' release "$work/a"
mkdir "$work/b"
: >"$work/b/old"
check 'release: made again, over another one' 'it is not' release "$work/b"
check 'release: the same bytes' "$(diff -r "$work/a" "$work/b")" diff -r "$work/a" "$work/b"
check 'release: the checksums verify' "$(cat "$work/verified" 2>/dev/null)" verified "$work/a"
check 'release: of each file' "$(cat "$work/names" 2>/dev/null)" all_listed "$work/a"
gzip -dc "$work/a/tare-1.2.3.img.gz" >"$work/stick"
check 'release: the stick is what was built' 'it is not' cmp -s "$work/stick" build/image/tare.img
check 'release: the changelog names the version' "$(head -n 1 "$work/a/CHANGELOG")" \
    grep -q '^tare 1[.]2[.]3 (' "$work/a/CHANGELOG"
subject=$(git log --no-merges -1 --format=%s 2>/dev/null) || subject='changes are unknown: no git checkout'
check 'release: the changelog has the newest subject' "$subject" grep -qxF -e "- $subject" "$work/a/CHANGELOG"
printf x >>"$work/a/tare-1.2.3.iso"
changed=0
verified "$work/a" || changed=$?
check 'release: a changed file is found' "$(cat "$work/verified")" test $changed -ne 0
finish
