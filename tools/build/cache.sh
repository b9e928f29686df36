# SPDX-License-Identifier: BSD-2-Clause
#
# The common part of the scripts that get a library once (picolibc.sh, source.sh, npm.sh).
# They set `name`, source this file, and print the result; progress and errors go to stderr.
#
#   TARE_CACHE   cache folder, ${XDG_CACHE_HOME:-$HOME/.cache}/tare by default

fail() {
    echo "$name: $*" >&2
    exit 1
}

# use_given VARIABLE FOLDER FILE...: if FOLDER, which VARIABLE names, has these files, prints it and exits.
use_given() {
    variable=$1
    given=$2
    shift 2
    for file; do
        [ -f "$given/$file" ] || fail "$variable=$given: no $file in it"
    done
    (cd "$given" && pwd)
    exit 0
}

open_cache() {
    cache=${TARE_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set; set TARE_CACHE}/.cache}/tare}
    mkdir -p "$cache"
    cache=$(cd "$cache" && pwd)
}

# The result appears by a rename, so it is complete if it exists. The kernel releases the lock when
# its holder ends, in whatever way.
lock_cache() {
    exec 9>"$cache/$name.lock"
    flock 9
}

# make_work: makes a folder in the cache, which is removed when the script ends.
make_work() {
    work=$(mktemp -d "$cache/$name.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
