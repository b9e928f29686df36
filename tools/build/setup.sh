#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/setup.sh build|check|test|bench|fresh|package|site|web
#
# Installs the missing Debian packages that a purpose needs; prints nothing if none is missing.
# On another system it only checks that the programs and headers are there.
set -eu

# One package a line: purpose | package | why | a program or an absolute path that shows that it is there.
# The last field is used only where there is no dpkg: with dpkg, a program of the same name from
# elsewhere must not hide a missing package.
table() {
    cat <<'TABLE'
build|gcc|compiles everything|gcc
build|libc6-dev|host C library|/usr/include/stdio.h
build|binutils|links the image|ld
build|fonts-spleen|font of the screen|/usr/share/consolefonts/spleen-8x16.psfu.gz
build|gnu-efi|UEFI headers, start-up|/usr/include/efi/efi.h
build|meson|configures picolibc|meson
build|ninja-build|builds picolibc|ninja
build|xz-utils|unpacks source archives|xz
build|ca-certificates|https for apt|/etc/ssl/certs/ca-certificates.crt
build|qemu-system-x86|runs the image|qemu-system-x86_64
build|ovmf|firmware for QEMU|/usr/share/ovmf/OVMF.fd
build|mtools|fills disk images|mcopy
build|dosfstools|makes FAT file systems|mkfs.fat
test|fdisk|reads partition tables|sfdisk
build|libsqlite3-dev|stores the runs|/usr/include/sqlite3.h
build|libpfm4-dev|names of events|/usr/include/perfmon/pfmlib.h
build|libjansson-dev|reads QEMU's messages|/usr/include/jansson.h
build|libpq-dev|stores many runs in PostgreSQL|/usr/include/postgresql/libpq-fe.h
build|libssl-dev|SHA-256 of images and runs|/usr/include/openssl/evp.h
build|libpng-dev|reads and writes pictures of screens|/usr/include/png.h
build|libzxing-dev|reads QR codes in pictures|/usr/include/ZXing/ReadBarcode.h
build|g++|calls that library|g++
build|help2man|makes the manual pages|help2man
build|lowdown|makes those of READMEs|lowdown
build|curl|gets the chart library|curl
build|pkg-config|finds host libraries|pkg-config
check|clang-format|checks the layout|clang-format
check|clang-tidy|finds likely bugs|clang-tidy
check|cppcheck|finds likely bugs|cppcheck
check|pmccabe|measures functions|pmccabe
test|clang|builds the fuzzers|clang
test|libclang-rt-14-dev|their run-time library|/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.fuzzer-x86_64.a
test|sqlite3|reads run files|sqlite3
test|gdb|stops at a bench|gdb
test|socat|talks to QEMU's monitor|socat
test|jq|reads JSON results|jq
test|dmidecode|reads SMBIOS of the field set|dmidecode
test|acpica-tools|reads its ACPI tables|acpixtract
test|qemu-utils|serves remote files, and reads ours|qemu-nbd
test|sbsigntool|signs the image for Secure Boot|sbsign
test|efitools|makes lists of keys for firmware|cert-to-efi-sig-list
test|openssl|makes the keys|openssl
test|shim-unsigned|starts the signed image|/usr/lib/shim/shimx64.efi
test|grub-efi-amd64-bin|starts the image|/usr/lib/grub/x86_64-efi/monolithic/grubx64.efi
test|systemd-boot-efi|starts it as well|/usr/lib/systemd/boot/efi/systemd-bootx64.efi
test|u-boot-qemu|firmware that is not EDK II|/usr/lib/u-boot/qemu-x86_64/u-boot.rom
test|bochs|a second emulator|bochs
test|bochs-term|its terminal display|/usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so
test|vgabios|its video firmware|/usr/share/vgabios/vgabios.bin
check|libunicorn-dev|runs the image's code on modelled processors|/usr/include/unicorn/unicorn.h
check|libcapstone-dev|finds branches among its instructions|/usr/include/capstone/capstone.h
test|babeltrace2|reads exported traces|babeltrace2
test|python3-lttnganalyses|makes statistics of exported traces|lttng-schedstats
test|python3-babeltrace|reads them for it|/usr/lib/python3/dist-packages/babeltrace
check|liblttng-ust-dev|a tracer to compare with|lttng-gen-tp
test|libjpeg62-turbo-dev|writes films for its camera|/usr/include/jpeglib.h
test|chromium|shows the report|chromium
test|chromium-driver|moves its mouse|chromedriver
test|postgresql|stores many runs|/usr/lib/postgresql
test|protobuf-compiler|reads Perfetto's traces|protoc
test|python3-jsonschema|checks exported JSON against its schema|/usr/lib/python3/dist-packages/jsonschema
test|python3-junitparser|reads the verdicts for CI servers|/usr/lib/python3/dist-packages/junitparser
test|python3-yaml|reads the recipes for them|/usr/lib/python3/dist-packages/yaml
test|lava-common|checks the job of a laboratory|/usr/lib/python3/dist-packages/lava_common
test|prometheus|checks exported metrics|promtool
test|python3-prometheus-client|parses them|/usr/lib/python3/dist-packages/prometheus_client
test|librsvg2-bin|draws the SVG files|rsvg-convert
test|libxml2-utils|checks that they are well-formed|xmllint
test|dpkg-dev|builds the package|dpkg-shlibdeps
test|xorriso|makes the ISO image|xorriso
test|libvirt-clients|checks the recipe for libvirt|virt-xml-validate
test|unifdef|removes the code for several processors|unifdef
site|mkdocs-material|makes the site of documents|mkdocs
test|mkdocs-material|makes the site of documents|mkdocs
web|clang|compiles WebAssembly|clang
web|lld|links it|wasm-ld-14
web|wasi-libc|its C library|/usr/lib/wasm32-wasi/libc.a
web|libclang-rt-14-dev-wasm32|its run-time library|/usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a
web|binaryen|makes it smaller|wasm-opt
web|esbuild|bundles the reader of QR codes|esbuild
web|zopfli|compresses it|zopfli
package|xorriso|makes the ISO image|xorriso
package|qemu-utils|makes virtual disks|qemu-img
package|dpkg-dev|builds the package|dpkg-shlibdeps
test|mandoc|checks the manual pages|mandoc
fresh|debootstrap|makes a bare Debian|debootstrap
bench|lttng-tools|its sessions|lttng-sessiond
test|busybox-static|programs of Linux guests|busybox
test|cpio|packs them|cpio
test|lz4|unpacks their kernel|lz4
test|bochsbios|the second emulator's firmware without UEFI|/usr/share/bochs/BIOS-bochs-latest
test|isolinux|starts a Linux guest in it|/usr/lib/ISOLINUX/isolinux.bin
test|syslinux-common|a part of that|/usr/lib/syslinux/modules/bios/ldlinux.c32
bench|iperf|bandwidth to compare with|iperf
bench|likwid|bandwidth and latency to compare with|likwid-bench
bench|linux-perf|copies to compare with|perf
bench|fio|reads of files to compare with|fio
bench|qperf|round trips to compare with|qperf
bench|iperf3|bandwidth to compare with|iperf3
bench|mbw|the C library's copies|mbw
bench|time|CPU time and memory of programs|/usr/bin/time
bench|python3-simpy3|a simulator to compare with|/usr/lib/python3/dist-packages/simpy
TABLE
}

usage() {
    echo "usage: tools/build/setup.sh build|check|test|bench|fresh|package|site|web" >&2
    exit 2
}

fail() {
    echo "setup: $*" >&2
    exit 1
}

# The table's lines for a purpose; other purposes also need all of "build", "test" all of "check" and "web", and "package" all of "web".
lines_for() {
    table | while IFS= read -r line; do
        case "${line%%|*}" in
        build | "$1") printf '%s\n' "$line" ;;
        check) [ "$1" != test ] || printf '%s\n' "$line" ;;
        web) [ "$1" != test ] && [ "$1" != package ] || printf '%s\n' "$line" ;;
        esac
    done
}

# Reads lines of the table, prints those whose package is not installed.
missing_packages() {
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
        sed -n 's/^installed //p')
    newline='
'
    while IFS= read -r line; do
        package=${line#*|}
        package=${package%%|*}
        case "$newline$installed$newline" in
        *"$newline$package$newline"*) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
}

# Reads lines of the table, prints those whose program or file does not exist.
missing_programs() {
    while IFS= read -r line; do
        proof=${line##*|}
        case "$proof" in
        /*) [ -e "$proof" ] || printf '%s\n' "$line" ;;
        *) command -v "$proof" >/dev/null 2>&1 || printf '%s\n' "$line" ;;
        esac
    done
}

# Reads lines of the table, prints "  name: why" for each.
describe() {
    while IFS='|' read -r _ package why proof; do
        case "$1" in
        packages) echo "  $package: $why" ;;
        *) echo "  $proof: $why" ;;
        esac
    done
}

install_packages() {
    root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            fail "neither root nor sudo here; have this run as root:
  apt-get update && apt-get install -y --no-install-recommends $*"
        root=sudo
    fi
    # env carries the setting through sudo, which drops the caller's environment.
    $root apt-get update >&2 || fail "apt-get update failed; see its messages above"
    $root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@" >&2 ||
        fail "apt-get install failed; see its messages above"
}

[ $# -eq 1 ] || usage
case "$1" in
build | check | test | bench | fresh | package | site | web) purpose=$1 ;;
*) usage ;;
esac

PATH=$PATH:/usr/sbin:/sbin
if command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
    missing=$(lines_for "$purpose" | missing_packages)
    [ -n "$missing" ] || exit 0
    {
        echo "setup: missing for '$purpose', to be installed by apt:"
        printf '%s\n' "$missing" | describe packages
    } >&2
    # One word for each package: names contain no blanks.
    # shellcheck disable=SC2046
    install_packages $(printf '%s\n' "$missing" | cut -d '|' -f 2)
else
    missing=$(lines_for "$purpose" | missing_programs)
    [ -n "$missing" ] || exit 0
    {
        echo "setup: no apt on this system; these are needed for '$purpose' and missing:"
        printf '%s\n' "$missing" | describe programs
    } >&2
    exit 1
fi
