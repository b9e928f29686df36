#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/tests/firmware/get_firmware.sh
#
# Prints the folder with firmware of Debian 13, and a boot loader that no machine should have installed for
# a test, in folders of the packages' names; gets them first when they are not cached. Debian 12's
# firmware comes by tools/build/setup.sh. Exit status 1: an archive has them no more.
#
#   TARE_CACHE   cache folder, ${XDG_CACHE_HOME:-$HOME/.cache}/tare by default
set -eu

# SUITE PACKAGE FILE SHA-256, a line each.
files='trixie u-boot-qemu u-boot-qemu_2025.01-3+deb13u1_all.deb a3751b5d36a411457b2e7a2834cdce0e5d40493e6588a65d51c5603740a0c71c
trixie ovmf ovmf_2025.02-8+deb13u1_all.deb 78e0d54df11fc77406cb7a0bc9a39e5bca6d1cbe06556b91d9a73491c52decdf
bookworm refind refind_0.13.2-1+b1_amd64.deb 2d42fe38e5265e571c6d8fed7b6ce50a7f2c9314c0dfe522acf0c388a9230f52'

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
    echo "$files" | while read -r suite package file sha256; do
        LOG=$cache/firmware.log tools/build/debian_file.sh "$suite" "$package" "$file" "$sha256" "$cache" </dev/null
        dpkg-deb -x "$cache/$file" "$work/$package"
    done
    mv "$work" "$folder"
fi
echo "$folder"
