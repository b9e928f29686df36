#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/install.sh install|uninstall FOLDER
#
# Puts what was built below FOLDER (DESTDIR and PREFIX in one), or takes it away again.
set -eu

cd "$(dirname "$0")/../.."

# One file a line: mode, what was built, where it goes.
files() {
    cat <<FILES
755 build/tare bin/tare
644 build/image/tare.efi share/tare/tare.efi
644 build/image/tare.img share/tare/tare.img
644 build/plugin/count-1.so share/tare/count-1.so
644 build/plugin/count-2.so share/tare/count-2.so
644 tools/help/tare.bash share/bash-completion/completions/tare
644 README.md share/doc/tare/README.md
644 LICENSE share/doc/tare/LICENSE
644 build/uplot/LICENSE share/doc/tare/LICENSE.uPlot
644 build/licences/picolibc share/doc/tare/LICENSE.picolibc
644 build/licences/gnu-efi share/doc/tare/LICENSE.gnu-efi
644 build/licences/lwip share/doc/tare/LICENSE.lwIP
644 build/licences/spleen share/doc/tare/LICENSE.Spleen
FILES
}

put() {
    while read -r mode from to; do
        install -d -m 755 "$1/${to%/*}"
        install -m "$mode" "$from" "$1/$to"
    done
}

pages() {
    for page in build/help/man/*.1; do
        echo "644 $page share/man/man1/${page##*/}"
    done
}

# Of folders only our own. Nothing need have been built: each command may have a page.
take_away() {
    while read -r _ _ to; do
        rm -f "$1/$to"
    done
    rm -f "$1/share/man/man1/tare.1"
    for source in tools/cmd/tare_*.c; do
        rm -f "$1/share/man/man1/$(basename "$source" .c | tr _ -).1"
    done
    for folder in share/tare share/doc/tare; do
        [ ! -d "$1/$folder" ] || rmdir --ignore-fail-on-non-empty "$1/$folder"
    done
}

case "$1" in
install)
    files | put "$2"
    pages | put "$2"
    ;;
uninstall) files | take_away "$2" ;;
*)
    echo "usage: tools/build/install.sh install|uninstall FOLDER" >&2
    exit 2
    ;;
esac
