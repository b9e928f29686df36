#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/lwip.sh
#
# Prints the folder of the sources of lwIP, the TCP/IP stack of the image. Downloads them if they are not
# cached: from Debian's source archive, the version of trixie, or of bookworm if that is not available.
#
#   LWIP         use this folder (src/include/lwip/init.h must be in it), fetch nothing
#   TARE_CACHE   see cache.sh
set -eu

name=lwip
. "$(dirname "$0")/cache.sh"

# SUITE VERSION SHA-256 of the tarball, in the order of preference.
sources='trixie 2.2.1 83729c274c499d3348e9fbbe043a3113f3fa8953e7efddc7c21c7fcbb1f2b7b1
bookworm 2.1.3 0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24'
debian_file=$(dirname "$0")/debian_file.sh

# unpack VERSION
unpack() {
    tar -xJf "$cache/lwip_$1+dfsg1.orig.tar.xz" -C "$work" --strip-components=1 ||
        fail "cannot unpack $cache/lwip_$1+dfsg1.orig.tar.xz"
    mv "$work" "$cache/lwip-$1"
}

# get SUITE VERSION SHA256: status 1 if the archive does not have it.
get() {
    LOG=$log "$debian_file" "$1" lwip "lwip_$2+dfsg1.orig.tar.xz" "$3" "$cache" || return 1
    make_work
    unpack "$2"
}

# cached: prints the best unpacked version; status 1 if there is none.
cached() {
    for version in $(echo "$sources" | cut -d ' ' -f 2); do
        [ -d "$cache/lwip-$version" ] || continue
        echo "$cache/lwip-$version"
        return 0
    done
    return 1
}

get_any() {
    log=$cache/lwip.log
    : >"$log"
    while read -r suite version sha256; do
        ! get "$suite" "$version" "$sha256" </dev/null || return 0
    done <<LIST
$sources
LIST
    fail "could not get lwIP's sources (log: $log).
  Put one of these there by hand:
$(echo "$sources" | sed "s|^[a-z]* \([^ ]*\) \(.*\)|    $cache/lwip_\1+dfsg1.orig.tar.xz (SHA-256 \2)|"),
  or name a folder of its sources: LWIP=/path/to/folder"
}

[ -z "${LWIP:-}" ] || use_given LWIP "$LWIP" src/include/lwip/init.h
open_cache
if ! cached; then
    lock_cache
    cached >/dev/null || get_any
    cached
fi
