#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# l1.sh make KIND                          makes the files of L1; prints, one a line, their folder in the cache, the
#                                          kernel's release, their checksum, and the version of Bochs (KIND intel)
# l1.sh boot KIND MADE FILES OUT WORD...   makes the files of one boot in folder OUT, and becomes the emulator (L0)
#
# Makes a Linux (L1) that runs a hypervisor, or a program, in an emulator under exact time; tools/under/README.md
# describes it. KIND is amd, intel or linux. MADE is the folder that `make` prints. L1 gets the files of folder FILES at
# its root. OUT has the names of L1's console and of its serial ports: console, line.in and line.out, symbols. WORDs are
# appended to QEMU's command line. Environment:
#
#     L1_KERNEL    a kernel package or a file; empty: the package on which linux-image-cloud-amd64 depends
#     L1_QEMU      QEMU to put into L1, an absolute path (KIND amd and intel)
#     L1_PROGRAM   program to put into L1, an absolute path (KIND linux)
#     L1_LINE      L1's command line
#     L1_MEMORY    its memory in MiB
#     L0           QEMU that is the emulator (KIND amd and linux)
#     L0_SHIFT     its instructions take 2^L0_SHIFT ns
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
        # The modules may change without the bzImage.
        origin=$({
            cat "$kernel"
            [ "${kernel%.deb}" != "$kernel" ] || find -L "$(dirname "$(dirname "$kernel")")/lib/modules" \
                '(' -path '*/kvm/*.ko*' -o -name 'ccp.ko*' -o -name 'irqbypass.ko*' ')' -print0 2>/dev/null |
                LC_ALL=C sort -z | xargs -0r cat
        } | sha256sum)
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
    [ "$(bytes_at 514 4 x1)" = 48647253 ] || fail "$image is no bzImage: expected HdrS at byte 514"
    release=$(tail -c +$(($(bytes_at 526 2 u2) + 513)) "$image" | head -c 64 | tr '\0 ' '\n' | head -n 1)
}

# bytes_at OFFSET COUNT FORMAT: prints bytes of the image, in a format of od.
bytes_at() {
    od -An -v -t"$3" -j "$1" -N "$2" "$image" | tr -d ' '
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
    # The length that follows the data is no part of the stream, so a complaint about it is no failure.
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
if [ -e /delay ]; then
    say "L2 starts $(cat /delay) s later"
    sleep "$(cat /delay)"
fi
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
if [ "$(cat /symbols)" = 1 ]; then
    # After what is measured, so that the log has the same bytes. Without randomisation the addresses are the same
    # each time.
    say 'symbols'
    stty -F /dev/ttyS2 raw -echo
    "$1" -machine none -accel kvm -nodefaults -display none -S &
    sleep 2
    {
        cat /proc/$!/maps
        echo
        grep -i ' [tw] ' /proc/kallsyms
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
    cat "$made/about"
    [ "$1" != intel ] || echo "Bochs $(dpkg-query -W -f '${Version}' bochs)"
}

# The boot of Linux without RDRAND leaves its generator of random numbers not ready for long, which programs notice;
# with -seed its numbers are the same each time.
boot() {
    kind=$1
    made=$2
    files=$3
    cd "$4"
    shift 4
    mkdir root
    cp "$files"/* root/
    features=,-rdrand,-rdseed
    if [ "$kind" = linux ]; then
        put_program "$L1_PROGRAM" root
        mv "root/bin/${L1_PROGRAM##*/}" root/program
        rmdir root/bin
        features=
    fi
    { lz4 -dc "$made/initrd.lz4" && pack root; } >initrd || fail "cannot write $PWD/initrd: is the disk full?"
    rm -r root
    if [ "$kind" = intel ]; then
        make_medium "$made/vmlinuz"
        # Debian's Bochs has the debugger, and wants a terminal of a kind that it knows.
        TERM=xterm exec script -qec 'bochs -q -f bochsrc -rc debugger' /dev/null </dev/null >terminal 2>&1
    fi
    unpack_kernel "$made/vmlinuz" vmlinux
    exec "$L0" -machine q35 -accel tcg,thread=single -cpu "EPYC$features" -smp 1 -m "$L1_MEMORY" -nodefaults \
        -no-reboot -display none -net none -icount "shift=$L0_SHIFT,sleep=off" -seed 1 \
        -rtc base=2024-01-01T00:00:00,clock=vm -kernel vmlinux -initrd initrd -append "$L1_LINE" \
        -chardev file,id=console,path=console -serial chardev:console -chardev pipe,id=line,path=line \
        -serial chardev:line -chardev file,id=symbols,path=symbols -serial chardev:symbols "$@"
}

# make_medium KERNEL: in the current folder, a medium from which Bochs's BIOS boots, and Bochs's configuration.
# Bochs shows the screen on a terminal of its own, which nobody reads: it waits forever once 4 KiB are in it. Each update
# writes the cursor, so there is one in a second of the guest's time, not five in a second of the host's.
make_medium() {
    mkdir iso
    lz4 -l -1 -c initrd >iso/initrd
    rm initrd
    cp "$1" /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 iso/
    cat >iso/isolinux.cfg <<CONFIG
DEFAULT l1
PROMPT 0
LABEL l1
 KERNEL /vmlinuz
 INITRD /initrd
 APPEND $L1_LINE
CONFIG
    find iso -exec touch -d $date_of_files {} +
    SOURCE_DATE_EPOCH=${date_of_files#@} xorriso -as mkisofs -quiet -o l1.iso -b isolinux.bin -c boot.cat \
        -no-emul-boot -boot-load-size 4 -boot-info-table iso >xorriso.log 2>&1 ||
        fail "xorriso: $(tail -n 1 xorriso.log)"
    rm -r iso
    cat >bochsrc <<RC
megs: $L1_MEMORY
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=corei7_haswell_4770, count=1, ips=125000000, reset_on_triple_fault=0, ignore_bad_msrs=1
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata1: enabled=1, ioaddr1=0x170, ioaddr2=0x370, irq=15
ata1-master: type=cdrom, path=l1.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=console
com2: enabled=1, mode=file, dev=line.out
display_library: term
vga: extension=vbe, update_freq=1, realtime=0
log: bochs.log
clock: sync=none, time0=946681200
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
RC
    echo c >debugger
}

case ${1:-} in
make) make "$2" ;;
boot)
    shift
    boot "$@"
    ;;
*) fail 'usage: l1.sh make KIND | boot KIND MADE FILES OUT WORD...' ;;
esac
