# SPDX-License-Identifier: BSD-2-Clause
#
# What the scripts that get a library once have in common (picolibc.sh, lwip.sh, uplot.sh, axe.sh).
# They set `name`, read this, and print what they have; progress and errors go to stderr.
#
#   TARE_CACHE   cache folder, ${XDG_CACHE_HOME:-$HOME/.cache}/tare by default

fail() {
    echo "$name: $*" >&2
    exit 1
}

# use_given VARIABLE FOLDER FILE...: prints a folder that a variable names, which has these files, and ends.
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

# What is got appears by a rename, so it is whole when it exists. The kernel drops the lock when its
# holder dies, however it dies.
lock_cache() {
    exec 9>"$cache/$name.lock"
    flock 9
}

# make_work: a folder of the cache that goes when the script ends.
make_work() {
    work=$(mktemp -d "$cache/$name.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
