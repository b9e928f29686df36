#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/deb.sh VERSION FOLDER PACKAGE.deb
#
# Makes a Debian package of the build results in FOLDER, which is emptied first. Its dates are those
# of SOURCE_DATE_EPOCH, so that the same sources give the same package.
set -eu

version=$1
folder=$2
package=$3
# The project, as named in LICENSE, at the address in the git log. Other publishers set both variables.
maintainer=${DEB_MAINTAINER:-The tare authors <maintainers@users.noreply.a-seed-32b084a0.example>}
homepage=${DEB_HOMEPAGE:-https://users.noreply.a-seed-32b084a0.example/tare}
: "${SOURCE_DATE_EPOCH:?}"
export SOURCE_DATE_EPOCH LC_ALL=C
umask 022
rm -rf "$folder"
root=$folder/root
documents=$root/usr/share/doc/tare
mkdir -p "$root/DEBIAN" "$folder/debian"

tools/build/install.sh install "$root/usr"
rm "$root/usr/share/tare/folders"
strip --strip-unneeded --remove-section=.comment "$root/usr/bin/tare"
gzip -9n "$root"/usr/share/man/man?/*
{
    cat "$documents/LICENSE"
    printf '\n\nThe page of tare report holds uPlot, which has this licence:\n\n'
    cat "$documents/LICENSE.uPlot"
    for library in picolibc gnu-efi lwIP qrcodegen Spleen; do
        printf '\n\nThe image holds parts of %s, which has these licences:\n\n' "$library"
        cat "$documents/LICENSE.$library"
    done
} >"$documents/copyright"
chmod 644 "$documents/copyright"
rm "$documents"/LICENSE*
gzip -9n >"$documents/changelog.gz" <<CHANGELOG
tare ($version) unstable; urgency=medium

  * Release $version; it is described in README.md.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

# The packages of the libraries that the program was linked with.
printf 'Source: tare\n\nPackage: tare\nArchitecture: amd64\n' >"$folder/debian/control"
depends=$(cd "$folder" && dpkg-shlibdeps -O root/usr/bin/tare | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || {
    echo "deb: dpkg-shlibdeps found no library" >&2
    exit 1
}

size=$(du -k -s --apparent-size --exclude=DEBIAN "$root" | cut -f 1)
cat >"$root/DEBIAN/control" <<CONTROL
Package: tare
Version: $version
Architecture: amd64
Maintainer: $maintainer
Homepage: $homepage
Installed-Size: $size
Depends: $depends
Recommends: qemu-system-x86, ovmf
Suggests: bash-completion, babeltrace2, python3-lttnganalyses
Section: admin
Priority: optional
Description: weigh the empty machine
 A program without an operating system boots from UEFI, takes the processor for
 itself and measures what firmware, timers, interrupts, threads and memory cost.
 Raw integers leave on a serial line.
 .
 This package has the image and the host program tare, which boots it in QEMU or
 captures it from a real machine's serial line, decodes the log into an SQLite
 file, shows and compares runs, and exports them for other programs.
CONTROL
(cd "$root" && find usr -type f | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
chmod 644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

# Renamed when it is complete. Most of the package is zeros of the disk image, where xz spends its time.
dpkg-deb --build --root-owner-group -Zxz -z1 "$root" "$package.new" >/dev/null
mv "$package.new" "$package"
