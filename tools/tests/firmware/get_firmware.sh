#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/tests/firmware/get_firmware.sh
#
# Prints the folder with firmware of Debian 13 in folders of the packages' names; gets it first when it
# is not cached. Debian 12's comes by tools/build/setup.sh. Exit status 1: an archive has it no more.
#
#   TARE_CACHE   cache folder, ${XDG_CACHE_HOME:-$HOME/.cache}/tare by default
set -eu

suite=trixie
# PACKAGE FILE SHA-256, a line each.
files='u-boot-qemu u-boot-qemu_2025.01-3+deb13u1_all.deb a3751b5d36a411457b2e7a2834cdce0e5d40493e6588a65d51c5603740a0c71c
ovmf ovmf_2025.02-8+deb13u1_all.deb 78e0d54df11fc77406cb7a0bc9a39e5bca6d1cbe06556b91d9a73491c52decdf'

cache=${TARE_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set; set TARE_CACHE}/.cache}/tare}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
folder=$cache/firmware-$(echo "$files" | sha256sum | cut -c 1-12)
if [ ! -d "$folder" ]; then
    exec 9>"$cache/firmware.lock"
    flock 9
fi
if [ ! -d "$folder" ]; then
    work=$(mktemp -d "$cache/firmware.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    echo "$files" | while read -r package file sha256; do
        LOG=$cache/firmware.log tools/build/debian_file.sh $suite "$package" "$file" "$sha256" "$cache" </dev/null
        dpkg-deb -x "$cache/$file" "$work/$package"
    done
    mv "$work" "$folder"
fi
echo "$folder"
