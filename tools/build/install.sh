#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/install.sh install|uninstall FOLDER
#
# Installs the build results below FOLDER (DESTDIR and PREFIX in one), or removes them.
set -eu

cd "$(dirname "$0")/../.."

# One file a line: mode, source, destination.
files() {
    cat <<FILES
755 build/tare bin/tare
644 build/image/tare.efi share/tare/tare.efi
644 build/image/tare-smp.efi share/tare/tare-smp.efi
644 build/image/tare.img share/tare/tare.img
644 build/plugin/count-1.so share/tare/count-1.so
644 build/plugin/count-2.so share/tare/count-2.so
644 build/plugin/exits-1.so share/tare/exits-1.so
644 build/plugin/exits-2.so share/tare/exits-2.so
644 tools/under/l1.sh share/tare/l1.sh
644 tools/cmd/tare.bash share/bash-completion/completions/tare
644 LICENSE share/doc/tare/LICENSE
644 build/uplot/LICENSE share/doc/tare/LICENSE.uPlot
644 build/licences/picolibc share/doc/tare/LICENSE.picolibc
644 build/licences/gnu-efi share/doc/tare/LICENSE.gnu-efi
644 build/licences/lwip share/doc/tare/LICENSE.lwIP
644 build/licences/qrcodegen share/doc/tare/LICENSE.qrcodegen
644 build/licences/spleen share/doc/tare/LICENSE.Spleen
FILES
}

# A list of the folders that were made, so that uninstalling can remove them: folders below FOLDER by
# name, FOLDER and those above it as ^0, ^1, ...; the topmost first.
list=share/tare/folders

# above FOLDER LEVEL
above() {
    [ "$2" -eq 0 ] && echo "$1" || above "$(dirname "$1")" $(($2 - 1))
}

make_root() {
    root_level=0
    root_made=
    while [ ! -d "$(above "$1" $root_level)" ]; do
        root_made="^$root_level $root_made"
        root_level=$((root_level + 1))
    done
    install -d -m 755 "$1"
    for root_line in $root_made; do
        echo "$root_line"
    done
}

# make_folder FOLDER NAME
make_folder() {
    [ ! -d "$1/$2" ] || return 0
    case $2 in
    */*) make_folder "$1" "${2%/*}" ;;
    esac
    install -d -m 755 "$1/$2"
    echo "$2"
}

put() {
    make_root "$1"
    while read -r mode from to; do
        make_folder "$1" "${to%/*}"
        install -m "$mode" "$from" "$1/$to"
    done
}

# Adds the names on standard input to the list of FOLDER.
remember() {
    cat >>"$1/$list"
    chmod 644 "$1/$list"
}

pages() {
    for page in build/help/man/*; do
        echo "644 $page share/man/man${page##*.}/${page##*/}"
    done
}

documents() {
    tools/build/documents.sh --list | while read -r document; do
        document=${document#.github/}
        echo "644 build/documents/$document share/doc/tare/$document"
    done
}

# remove_folders FOLDER LIST: removes those that are empty now.
remove_folders() {
    for name in $(awk '{ line[NR] = $0 } END { for (i = NR; i > 0; i--) print line[i] }' "$2"); do
        case $name in
        ^*) name=$(above "$1" "${name#^}") ;;
        *) name=$1/$name ;;
        esac
        [ ! -d "$name" ] || rmdir --ignore-fail-on-non-empty "$name"
    done
}

# Works without a build: pages are found by their names. Folders that existed before the installation are
# kept.
take_away() {
    while read -r _ _ to; do
        rm -f "$1/$to"
    done
    rm -f "$1"/share/man/man1/tare.1 "$1"/share/man/man[157]/tare-*.[157]
    if [ -e "$1/$list" ]; then
        folders=$(mktemp)
        mv "$1/$list" "$folders"
        remove_folders "$1" "$folders"
        rm -f "$folders"
    fi
    for folder in share/tare share/doc/tare; do
        [ ! -d "$1/$folder" ] || rmdir --ignore-fail-on-non-empty "$1/$folder"
    done
}

case "$1" in
install)
    made=$(mktemp)
    trap 'rm -f "$made"' EXIT
    { files && pages && documents; } | put "$2" >"$made"
    remember "$2" <"$made"
    ;;
uninstall) { files && documents; } | take_away "$2" ;;
*)
    echo "usage: tools/build/install.sh install|uninstall FOLDER" >&2
    exit 2
    ;;
esac
