#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# l1.sh make KIND                  makes the files of L1; prints their folder in the cache, and the version of Bochs
# l1.sh boot KIND MADE FILES OUT   makes the files of one boot in folder OUT
# l1.sh bochs OUT                  runs Bochs with them
#
# Makes a Linux (L1) that runs a hypervisor, or a program, in an emulator under exact time; tools/under/README.md
# describes it. KIND is amd, intel or linux. MADE is the folder that `make` prints. FILES is a folder whose files L1
# gets at its root. Environment:
#
#     L1_KERNEL    a kernel package or a file; empty: the package on which linux-image-cloud-amd64 depends
#     L1_QEMU      QEMU to put into L1, an absolute path (KIND amd and intel)
#     L1_LINE      L1's command line (KIND intel)
#     L1_PROGRAM   program to put into L1, an absolute path (KIND linux)
#     TARE_CACHE   cache folder, ${XDG_CACHE_HOME:-$HOME/.cache}/tare by default
#
# Equal inputs give equal bytes: files have one date and one owner and come in the order of their names.
set -eu
umask 022

fail() {
    echo "$*" >&2
    exit 1
}

date_of_files=@1700000000
modules='virt/lib/irqbypass drivers/crypto/ccp/ccp arch/x86/kvm/kvm arch/x86/kvm/kvm-amd arch/x86/kvm/kvm-intel'

# ---- what is needed ----

# Prints "PROGRAM-OR-FILE PACKAGE" lines.
needed() {
    echo 'cpio cpio'
    echo 'lz4 lz4'
    echo 'xz xz-utils'
    echo 'strip binutils'
    [ "$1" != intel ] || cat <<'LIST'
bochs bochs
/usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so bochs-term
/usr/share/bochs/BIOS-bochs-latest bochsbios
/usr/share/vgabios/vgabios.bin vgabios
/usr/lib/ISOLINUX/isolinux.bin isolinux
/usr/lib/syslinux/modules/bios/ldlinux.c32 syslinux-common
xorriso xorriso
script bsdutils
LIST
}

# Ends the program with the command that installs what is missing.
check_programs() {
    missing=$(needed "$1" | while read -r thing package; do
        case $thing in
        /*) [ -e "$thing" ] || echo "$package" ;;
        *) command -v "$thing" >/dev/null || echo "$package" ;;
        esac
    done)
    busybox=$(command -v busybox) || busybox=
    # A static program has no interpreter.
    if [ -z "$busybox" ] || ldd "$busybox" >/dev/null 2>&1; then
        missing=$missing${missing:+ }busybox-static
    fi
    missing=$(printf '%s' "$missing" | tr '\n' ' ')
    [ -z "$missing" ] || fail "missing packages: apt-get install $missing"
}

# libraries PROGRAM: prints the absolute paths of its shared libraries and of its interpreter.
libraries() {
    ldd "$1" | sed -n -e 's/.*=> \(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) .*/\1/p'
}

# ---- the kernel ----

# ask_apt COMMAND PACKAGE: what apt-cache prints, which takes a second; kept until apt's lists change.
ask_apt() {
    answer=$cache/apt-$1-$2
    if [ ! -s "$answer" ] || [ -n "$(find /var/lib/apt/lists -newer "$answer" | head -n 1)" ]; then
        apt-cache "$1" "$2" >"$answer.$$" 2>/dev/null || true
        mv "$answer.$$" "$answer"
    fi
    cat "$answer"
}

# Sets `package`, or `kernel` for a file, and `origin`, which identifies its contents.
find_kernel() {
    kernel=
    package=${L1_KERNEL:-}
    case $package in
    */* | *.deb)
        kernel=$package
        [ -r "$kernel" ] || fail "cannot read kernel $kernel"
        origin=$(sha256sum <"$kernel")
        return
        ;;
    '')
        package=$(ask_apt depends linux-image-cloud-amd64 |
            sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
        [ -n "$package" ] || fail "apt knows no linux-image-cloud-amd64: run apt-get update, or name a" \
            'kernel with --l1-kernel'
        ;;
    esac
    origin=$(ask_apt show "$package" | sed -n 's/^SHA256: //p' | head -n 1)
    [ -n "$origin" ] || fail "apt knows no package $package: run apt-get update, or name another with --l1-kernel"
}

# Unpacks the kernel below $making/tree, and sets `image`, `release` and `tree` (the folder that has lib/modules).
get_kernel() {
    tree=$making/tree
    mkdir "$tree"
    if [ -z "$kernel" ]; then
        (cd "$making" && apt-get -q -o APT::Sandbox::User=root download "$package" >apt.log 2>&1) ||
            fail "cannot download $package: $(tail -n 1 "$making/apt.log")"
        kernel=$(echo "$making"/*.deb)
    fi
    case $kernel in
    *.deb)
        dpkg-deb -x "$kernel" "$tree" || fail "cannot unpack $kernel"
        image=$(echo "$tree"/boot/vmlinuz-*)
        ;;
    *)
        image=$kernel
        tree=$(dirname "$(dirname "$kernel")")
        ;;
    esac
    [ -r "$image" ] || fail "$kernel has no boot/vmlinuz-*: name a linux-image package, or a bzImage"
    # The boot protocol's header: "HdrS" at 202h, pointer to the text of the release at 20Eh.
    [ "$(bytes_at 514 4 a)" = HdrS ] || fail "$image is no bzImage: expected HdrS at byte 514"
    release=$(tail -c +$(($(bytes_at 526 2 u2) + 513)) "$image" | head -c 64 | tr '\0 ' '\n' | head -n 1)
}

# bytes_at OFFSET COUNT FORMAT: prints bytes of the image.
bytes_at() {
    if [ "$3" = a ]; then
        tail -c +$(($1 + 1)) "$image" | head -c "$2"
    else
        od -An -v -t"$3" -j "$1" -N "$2" "$image" | tr -d ' '
    fi
}

# unpack_kernel IMAGE OUT: writes the ELF file that a bzImage holds; QEMU starts it without a BIOS. Its place and
# length are in the header at 1F1h, 248h and 24Ch (Documentation/x86/boot.rst of Linux, protocol 2.08).
unpack_kernel() {
    image=$1
    start=$((($(bytes_at 497 1 u1) + 1) * 512 + $(bytes_at 584 4 u4)))
    length=$(bytes_at 588 4 u4)
    case $(bytes_at "$start" 4 x1) in
    02214c18) unpack='lz4 -dc' ;;
    fd377a58) unpack='xz -dc' ;;
    28b52ffd) unpack='zstd -dc' ;;
    1f8b*) unpack='gzip -dc' ;;
    *) fail "$image: unknown compression" ;;
    esac
    # The length behind the data is no part of the stream: a complaint about it is no failure.
    tail -c +$((start + 1)) "$image" | head -c "$length" | $unpack >"$2" 2>/dev/null || true
    [ "$(head -c 4 "$2" | tail -c 3)" = ELF ] || fail "$image: its contents do not unpack to an ELF file"
}

# ---- the initial file system ----

# The first program of L1. The host reads lines with this mark: "end STATUS" is the last one.
write_init() {
    cat <<'INIT'
#!/bin/sh
export PATH=/bin LD_LIBRARY_PATH=/lib
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs tmpfs /tmp
say() { echo "tare-l1: $*"; }
finish() {
    say "end $1"
    poweroff -f
}
give_up() {
    say "error: $*"
    finish 1
}
say "L1 runs Linux $(uname -r)"
if [ -d /m ] && ! [ -e /program ]; then
    for module in irqbypass ccp kvm; do
        [ ! -e /m/$module.ko ] || insmod /m/$module.ko || give_up "$module.ko does not load"
    done
    case $(grep -m1 -o -w 'svm\|vmx' /proc/cpuinfo) in
    svm) module=kvm-amd ;;
    vmx) module=kvm-intel ;;
    *) give_up 'the processor of L1 has neither SVM nor VMX' ;;
    esac
    [ ! -e /m/$module.ko ] || insmod /m/$module.ko || give_up "$module.ko does not load"
    [ -e /dev/kvm ] || give_up 'there is no /dev/kvm'
fi
set --
while IFS= read -r word; do
    set -- "$@" "$word"
done </words
stty -F /dev/ttyS1 raw -echo
if [ -e /program ]; then
    cd /tmp || give_up 'no /tmp'
    ip link set lo up
    say 'the program starts'
    {
        "$@" 2>&1
        echo $? >/status
    } | while IFS= read -r line; do
        say "$line"
    done
    status=$(cat /status)
    [ ! -e result ] || cat result >/dev/ttyS1
    say "bytes $(stat -c %s result 2>/dev/null)"
else
    say 'L2 starts'
    "$@"
    status=$?
fi
if [ "$(cat /symbols)" = yes ]; then
    # Behind what is measured, so that the log has the same bytes. Without randomisation the addresses are the same
    # each time.
    say 'symbols'
    stty -F /dev/ttyS2 raw -echo
    "$1" -machine none -accel kvm -nodefaults -display none -S &
    sleep 2
    {
        cat /proc/modules
        echo
        cat /proc/$!/maps
        echo
        cat /proc/kallsyms
    } | gzip -c >/dev/ttyS2
    kill $!
fi
[ $status -eq 0 ] || say "error: $1 ended with status $status"
finish $status
INIT
}

# pack FOLDER: writes the folder as an archive.
pack() {
    find "$1" -exec touch -h -d $date_of_files {} +
    (cd "$1" && find . -print0 | LC_ALL=C sort -z | cpio --quiet -0 -o -H newc -R 0:0 --reproducible)
}

# put_program PROGRAM ROOT: copies the program and its libraries.
put_program() {
    mkdir -p "$2/lib" "$2/lib64" "$2/bin"
    cp -L "$1" "$2/bin/"
    for library in $(libraries "$1"); do
        case $library in
        */ld-linux-x86-64.so.2) cp -L "$library" "$2/lib64/" ;;
        *) cp -L "$library" "$2/lib/" ;;
        esac
    done
}

# make_root FOLDER KIND
make_root() {
    mkdir -p "$1/bin" "$1/m" "$1/proc" "$1/sys" "$1/dev" "$1/tmp" "$1/share"
    cp -L "$busybox" "$1/bin/busybox"
    for name in $(busybox --list); do
        [ "$name" = busybox ] || ln -s busybox "$1/bin/$name"
    done
    for module in $modules; do
        found=$(find -L "$tree/lib/modules/$release" -path "*/kernel/$module.ko*" 2>/dev/null | head -n 1)
        name=$1/m/${module##*/}.ko
        case $found in
        '') continue ;; # built in, or not there, which L1 tells
        *.xz) xz -dc "$found" >"$name" ;;
        *.zst) zstd -dqc "$found" >"$name" ;;
        *) cp "$found" "$name" ;;
        esac
        strip --strip-debug "$name"
    done
    if [ "$2" != linux ]; then
        put_program "$L1_QEMU" "$1"
        mv "$1/bin/${L1_QEMU##*/}" "$1/bin/qemu"
        for name in kvmvapic.bin linuxboot_dma.bin; do
            for share in "$(dirname "$(dirname "$L1_QEMU")")/share/qemu" /usr/share/qemu /usr/share/seabios; do
                if [ -e "$share/$name" ]; then
                    cp -L "$share/$name" "$1/share/"
                    break
                fi
            done
        done
    fi
    write_init >"$1/init"
    chmod 755 "$1/init"
}

# ---- commands ----

bochs_version() {
    echo "Bochs $(dpkg-query -W -f '${Version}' bochs)"
}

# Writes what the made files depend on, for their key.
inputs() {
    echo "$1" | sed 's/amd\|intel/kvm/'
    sha256sum <"$0"
    echo "$origin"
    sha256sum <"$busybox"
    lz4 --version
    if [ "$1" != linux ]; then
        # shellcheck disable=SC2046 # paths without blanks
        cat "$L1_QEMU" $(libraries "$L1_QEMU") | sha256sum
    fi
}

make() {
    check_programs "$1"
    cache=${TARE_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set; set TARE_CACHE}/.cache}/tare}/l1
    mkdir -p "$cache"
    find_kernel
    made=$cache/$(inputs "$1" | sha256sum | cut -c 1-32)
    exec 9>"$cache/lock"
    flock 9
    if [ ! -e "$made" ]; then
        making=$cache/making
        rm -rf "$making"
        mkdir "$making"
        get_kernel
        make_root "$making/root" "$1"
        mkdir "$making/new"
        cp "$image" "$making/new/vmlinuz"
        chmod 644 "$making/new/vmlinuz"
        pack "$making/root" | lz4 -l -1 -c >"$making/new/initrd.lz4"
        [ "$(stat -c %s "$making/new/initrd.lz4")" -gt 1000000 ] || fail 'the initial file system was not made'
        {
            echo "$release"
            cat "$making/new/vmlinuz" "$making/new/initrd.lz4" | sha256sum | cut -d ' ' -f 1
        } >"$making/new/about"
        mv "$making/new" "$made"
        rm -rf "$making"
        # Keep the eight made last.
        find "$cache" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn | tail -n +9 |
            while read -r _ old; do
                rm -r "$old"
            done
    fi
    echo "$made"
    [ "$1" != intel ] || bochs_version
}

boot() {
    mkdir "$4/root"
    cp "$3"/* "$4/root/"
    if [ "$1" = linux ]; then
        put_program "$L1_PROGRAM" "$4/root"
        mv "$4/root/bin/${L1_PROGRAM##*/}" "$4/root/program"
        rmdir "$4/root/bin"
    fi
    { lz4 -dc "$2/initrd.lz4" && pack "$4/root"; } >"$4/initrd" || fail "cannot write $4/initrd: is the disk full?"
    rm -r "$4/root"
    if [ "$1" = intel ]; then
        make_medium "$2/vmlinuz" "$4"
    else
        unpack_kernel "$2/vmlinuz" "$4/vmlinux"
    fi
}

# make_medium KERNEL OUT: a medium from which Bochs's BIOS boots, and Bochs's configuration.
make_medium() {
    mkdir "$2/iso"
    lz4 -l -1 -c "$2/initrd" >"$2/iso/initrd"
    rm "$2/initrd"
    cp "$1" /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$2/iso/"
    cat >"$2/iso/isolinux.cfg" <<CONFIG
DEFAULT l1
PROMPT 0
LABEL l1
 KERNEL /vmlinuz
 INITRD /initrd
 APPEND $L1_LINE
CONFIG
    find "$2/iso" -exec touch -d $date_of_files {} +
    SOURCE_DATE_EPOCH=${date_of_files#@} xorriso -as mkisofs -quiet -o "$2/l1.iso" -b isolinux.bin -c boot.cat \
        -no-emul-boot -boot-load-size 4 -boot-info-table "$2/iso" >"$2/xorriso" 2>&1 ||
        fail "xorriso: $(tail -n 1 "$2/xorriso")"
    rm -r "$2/iso"
    cat >"$2/bochsrc" <<RC
megs: 1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=corei7_haswell_4770, count=1, ips=125000000, reset_on_triple_fault=0, ignore_bad_msrs=1
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata1: enabled=1, ioaddr1=0x170, ioaddr2=0x370, irq=15
ata1-master: type=cdrom, path=$2/l1.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$2/console
com2: enabled=1, mode=file, dev=$2/line.out
display_library: term
log: $2/bochs.log
clock: sync=none, time0=946681200
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
RC
    echo c >"$2/debugger"
}

# Debian's Bochs has the debugger, and wants a terminal of a kind that it knows.
bochs_run() {
    TERM=xterm exec script -qec "bochs -q -f '$1/bochsrc' -rc '$1/debugger'" /dev/null </dev/null >"$1/terminal" 2>&1
}

case ${1:-} in
make) make "$2" ;;
boot) boot "$2" "$3" "$4" "$5" ;;
bochs) bochs_run "$2" ;;
*) fail 'usage: l1.sh make KIND | boot KIND MADE FILES OUT | bochs OUT' ;;
esac
