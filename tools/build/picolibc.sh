#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/picolibc.sh
#
# Prints the prefix of a picolibc built for the image. Builds it first if it is not cached.
#
#   PICOLIBC     use this prefix (include/stdio.h and lib/libc.a must be in it), build nothing
#   TARE_CACHE   see cache.sh
set -eu

name=picolibc
. "$(dirname "$0")/cache.sh"
version=1.8.10
tarball=picolibc_$version.orig.tar.gz
sha256=d1fc2a20f217472f8d9da084a519a25678e8d91852a41c7f3f1840d3508f7163
suite=trixie # the Debian release whose source archive holds this version
debian_file=$(dirname "$0")/debian_file.sh

# -mno-red-zone: interrupts run on the stack they interrupt.
# $int_args are passed for each source that compiles with them (see compiler_wrapper).
c_args='-O2 -ffreestanding -mno-red-zone -fpic -fvisibility=hidden -fno-stack-protector
    -fno-omit-frame-pointer -ffunction-sections -fdata-sections'
int_args='-mgeneral-regs-only'
options='-Dmultilib=false -Dpicocrt=false -Dpicolib=false -Dtests=false -Dsemihost=false
    -Dspecsdir=none -Dthread-local-storage=false -Dformat-default=integer'

get_tarball() {
    LOG=$log "$debian_file" "$suite" picolibc "$tarball" "$sha256" "$cache" ||
        fail "could not get $tarball (log: $log).
  Put it there by hand: $cache/$tarball
  (SHA-256 $sha256),
  or name a built prefix: PICOLIBC=/path/to/prefix"
}

# The image's interrupt handlers and task switches do not save XMM registers, so no function
# that they may use (memset, snprintf, ...) may use one. Functions with doubles cannot be compiled
# without them; those are the sources that fail in the first attempt.
compiler_wrapper() {
    cat <<WRAPPER
#!/bin/sh
map=-ffile-prefix-map=$work=.
gcc $int_args "\$map" "\$@" 2>/dev/null || exec gcc "\$map" "\$@"
WRAPPER
}

cross_file() {
    quoted=
    for arg in $c_args; do
        quoted="$quoted${quoted:+, }'$arg'"
    done
    cat <<CROSS
[binaries]
c = '$work/cc'
ar = 'ar'
nm = 'nm'
strip = 'strip'

[host_machine]
system = 'none'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'

[built-in options]
c_args = [$quoted]
c_link_args = ['-nostdlib']

[properties]
skip_sanity_check = true
CROSS
}

compile() {
    mkdir "$work/src" &&
        tar -xzf "$cache/$tarball" -C "$work/src" --strip-components=1 &&
        cross_file >"$work/cross.txt" &&
        compiler_wrapper >"$work/cc" && chmod +x "$work/cc" || return 1
    # Installed below a neutral prefix and moved as a whole, so that no path is stored in the library.
    # shellcheck disable=SC2086
    meson setup --cross-file "$work/cross.txt" --buildtype=plain --prefix=/prefix \
        --libdir=lib --includedir=include $options "$work/build" "$work/src" &&
        ninja -C "$work/build" &&
        DESTDIR="$work/install" meson install -C "$work/build" --no-rebuild &&
        cp "$work/src/COPYING.picolibc" "$work/install/prefix/COPYING"
}

build() {
    log=$cache/picolibc.log
    : >"$log"
    rm -rf "$cache"/picolibc.?????? # left by a run that was killed; the lock is ours
    make_work
    get_tarball
    echo "picolibc: building $version (about half a minute, once)" >&2
    compile >>"$log" 2>&1 || fail "the build failed (log: $log)"
    for file in include/stdio.h lib/libc.a COPYING; do
        [ -f "$work/install/prefix/$file" ] || fail "the build left no $file (log: $log)"
    done
    mv "$work/install/prefix" "$prefix"
}

[ -z "${PICOLIBC:-}" ] || use_given PICOLIBC "$PICOLIBC" include/stdio.h lib/libc.a
open_cache
key=$(echo "$c_args" "$int_args" "$options" COPYING "$(gcc -dumpfullversion)" "$(gcc -dumpmachine)" |
    sha256sum | cut -c 1-12)
prefix=$cache/picolibc-$version-$key
if [ ! -d "$prefix" ]; then
    lock_cache
    [ -d "$prefix" ] || build
fi
echo "$prefix"
