#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Real disks, as QEMU has them, in emulated time: every driver reads right; what QEMU was asked for is
# nothing but reads; disks that cannot read, stop answering or vanish end a bench with disk, block and
# reason, and nothing hangs. No disk is different afterwards by one bit. QEMU has no ATA disk of 4 KiB
# blocks; tools/tests/machine has.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

image_of() {
    echo "$work/$1.img"
}

# boot_disks NAME STATUS "OPTIONS" QEMU-ARGUMENT...: as boot, in emulated time.
boot_disks() {
    disks_name=$1
    disks_status=$2
    disks_options=$3
    shift 3
    # shellcheck disable=SC2086
    expect_status "$disks_name: ends with status $disks_status" "$disks_status" \
        timeout $limit "$TARE" boot --mode real --log "$work/$disks_name.log" \
        -o "$work/$disks_name.db" $disks_options -- "$@"
    [ -e "$work/$disks_name.db" ] || mv "$work/$disks_name.invalid.db" "$work/$disks_name.db" 2>/dev/null
}

# drive NAME ID SUFFIX: the option of a drive.
drive() {
    echo "if=none,id=$2,format=raw,file=$(image_of "$1"),file.locking=off${3:-}"
}

# disks_are NAME FILTER: jq's filter is true of bench disks.
disks_are() {
    json "$1" "[.benches[] | select(.name == \"disks\")][0] | $2"
}

unchanged() {
    sha256sum -c --quiet "$work/sums" >"$work/changed" 2>&1
}

for name in nvme ahci virtio; do
    "$TARE" disk --mib 2 --no-documents -o "$(image_of $name)" || exit 1
done
"$TARE" disk --mib 2 --no-documents --block 4096 -o "$(image_of nvme4k)" || exit 1
head -c 1048576 /dev/urandom >"$(image_of raw)"
(cd "$work" && sha256sum "$work"/*.img) >"$work/sums"

# ---- all drivers at once ----

trace=$work/trace
: >"$work/commands"
: >"$work/others"
: >"$work/changed"
boot_disks good 0 '--bench disks,disklatency --set disklatency.reads=20' \
    -device nvme,id=c,serial=1 \
    -drive "$(drive nvme n1)" -device nvme-ns,bus=c,drive=n1,nsid=1 \
    -drive "$(drive nvme4k n2)" \
    -device nvme-ns,bus=c,drive=n2,nsid=2,logical_block_size=4096,physical_block_size=4096 \
    -device ahci,id=a -drive "$(drive ahci a1)" -device ide-hd,bus=a.0,drive=a1 \
    -drive "$(drive raw a2)" -device ide-hd,bus=a.1,drive=a2 \
    -drive "$(drive virtio v1)" -device virtio-blk-pci,drive=v1,disable-legacy=on \
    -drive "$(drive nvme4k v2)" -device virtio-blk-pci,drive=v2,disable-legacy=on,vectors=0,logical_block_size=4096,physical_block_size=4096 \
    -trace pci_nvme_io_cmd -trace pci_nvme_admin_cmd -trace ide_exec_cmd \
    -trace process_ncq_command \
    -trace virtio_blk_handle_write -trace virtio_blk_handle_read -D "$trace"

facts='.facts as $facts'
check 'good: five disks, every sector right' "$(value good '.benches[] | select(.name == "disks") | .facts' |
    tr -d '\n')" disks_are good "$facts | .status == \"OK\" and ([\"nvme0n1\", \"nvme0n2\", \"ahci0p0\",
        \"virtio0\", \"virtio1\"] | all(. as \$d | \$facts[\$d + \".checked\"] == 4096 and
            \$facts[\$d + \".wrong\"] == 0))"
check 'good: blocks of 4 KiB' 'not so' disks_are good '.facts["nvme0n2.block_bytes"] == 4096'
check 'good: a disk without a partition of ours is left alone' "$(value good '.benches[] |
    select(.name == "disks") | .absent')" disks_are good '[.absent[] | select(.name == "ahci0p1.checked") |
    .reason][0] | test("disk.use")'
check 'good: NVMe and virtio by MSI-X, AHCI by MSI, virtio without MSI-X by its pin' "$(value good '.benches[] | select(.name == "disks") | .found' |
    tr -d '\n')" disks_are good '.found.nvme0n1 == "nvme, MSI-X" and .found.ahci0p0 == "ahci, MSI" and
        .found.virtio0 == "virtio, MSI-X" and .found.virtio1 == "virtio, INTx"'
check 'good: disklatency reads the first disk with a partition' "$(value good '.benches[] |
    select(.name == "disklatency") | .found' | tr -d '\n')" json good \
    '.benches[] | select(.name == "disklatency") | .status == "OK" and .found.disk == "nvme0n1"'

# What QEMU's devices were given, by firmware and image. Firmware reads SMART data and sets features.
only_reads() {
    sed -nE "s/.*opname '([A-Z_]*)'.*/\1/p; s/.*ide_exec_cmd.* cmd (0x[0-9a-f]+)/ATA_\1/p
        s/.*NCQ op (0x[0-9a-f]+).*/ATA_\1/p
        s/.*(virtio_blk_handle_[a-z]+).*/\1/p" "$trace" | sort -u >"$work/commands"
    ! grep -vxE 'NVME_ADM_CMD_(IDENTIFY|CREATE_CQ|CREATE_SQ|SET_FEATURES|DELETE_[CS]Q|GET_FEATURES)|NVME_NVM_CMD_READ|ATA_0x(ec|25|60|c8|b0|ef)|virtio_blk_handle_read' \
        "$work/commands" >"$work/others"
}
check 'good: QEMU saw reads of each kind' "$(tr '\n' ' ' <"$work/commands")" eval 'only_reads &&
    grep -qx NVME_NVM_CMD_READ "$work/commands" && grep -qx ATA_0x60 "$work/commands" &&
    grep -qx virtio_blk_handle_read "$work/commands"'
check 'good: QEMU saw no other command' "$(tr '\n' ' ' <"$work/others")" only_reads
check 'good: no disk has changed' "$(cat "$work/changed")" unchanged

# ---- disks that cannot read, and disks that stop answering ----

# The sector lies in BENCH.DAT, so that firmware never reads it. What is throttled answers for the
# first MiB, and then hardly.
printf '[inject-error]\nevent = "read_aio"\nerrno = "5"\nsector = "3000"\n' >"$work/eio"
throttle=,throttling.bps-total=4096,throttling.bps-total-max=1048576
eio() {
    echo "if=none,id=$2,format=raw,file=blkdebug:$work/eio:$(image_of "$1"),file.image.locking=off,rerror=report"
}
boot_disks bad 1 '--bench disks,clock,disklatency --set disk.use=ahci0p1 --set disklatency.reads=20' \
    -device nvme,id=c,serial=1 -drive "$(eio nvme n1)" -device nvme-ns,bus=c,drive=n1,nsid=1 \
    -device nvme,id=d,serial=2 -drive "$(drive nvme4k n2 $throttle)" \
    -device nvme-ns,bus=d,drive=n2,nsid=1,logical_block_size=4096,physical_block_size=4096 \
    -device ahci,id=a -drive "$(eio ahci a1)" -device ide-hd,bus=a.0,drive=a1 \
    -drive "$(drive raw a2)" -device ide-hd,bus=a.1,drive=a2 \
    -device ahci,id=b -drive "$(drive ahci b1 $throttle,rerror=report)" -device ide-hd,bus=b.0,drive=b1 \
    -drive "$(eio virtio v1)" -device virtio-blk-pci,drive=v1,disable-legacy=on \
    -drive "$(drive virtio v2)" -device virtio-blk-pci,drive=v2,disable-legacy=on

# failed_as DISK TEXT
failed_as() {
    check "bad: $1: $2" "$(value bad '.benches[] | select(.name == "disks") | .absent' | tr -d '\n')" \
        disks_are bad ".status == \"FAIL\" and ([.absent[] | select(.name == \"$1\") | .reason][0] |
            test(\"^$1: block [0-9]+: $2\"))"
}
failed_as nvme0n1 'medium error [(]status 281h[)]'
failed_as ahci0p0 'device error'
failed_as virtio0 'medium error'
failed_as nvme1n1 'no answer in time'
failed_as ahci1p0 'no answer in time'
check 'bad: the disk behind them is read' 'it is not' disks_are bad '.facts["virtio1.checked"] == 4096'
check 'bad: the bench behind it runs' 'it does not' json bad '.benches[] | select(.name == "clock") | .status == "OK"'
check 'bad: a disk that the plan names is read as a whole, unchecked' "$(value bad '.benches[] |
    select(.name == "disklatency") | .found, .reason' | tr -d '\n')" json bad \
    '.benches[] | select(.name == "disklatency") | .status == "OK" and .found.disk == "ahci0p1" and .found.verified == "no"'
check 'bad: no disk has changed' "$(cat "$work/changed")" unchanged

# ---- a disk that vanishes in the middle ----

# The bench has found its volume: firmware and the search need less than 1000 reads.
reads() {
    monitor 'info blockstats' | grep -q '^n1: .* rd_operations=[0-9]\{4\}'
}
: >"$work/gone.err"
timeout $limit "$TARE" boot --mode real --log "$work/gone.log" -o "$work/gone.db" \
    --bench disklatency,loop --set disklatency.reads=100000 -- -monitor "unix:$work/monitor,server=on,wait=off" \
    -drive "$(drive nvme n1)" -device nvme,serial=1,drive=n1 >/dev/null 2>"$work/gone.err" &
gone=$!
wait_for 60 reads
monitor 'drive_del n1' >/dev/null
status=0
wait $gone || status=$?
check 'gone: an invalid run' "status $status: $(tail -n 3 "$work/gone.err")" test $status -eq 1
mv "$work/gone.invalid.db" "$work/gone.db" 2>/dev/null || true
check 'gone: disk, block and reason' "$(value gone '.benches[] | select(.name == "disklatency") | .reason')" \
    json gone '.benches[] | select(.name == "disklatency") | .status == "FAIL" and (.reason | test("^nvme0n1: block [0-9]+: "))'
check 'gone: the bench behind it runs' 'it does not' json gone '.benches[] | select(.name == "loop") | .status == "OK"'
check 'gone: no disk has changed' "$(cat "$work/changed")" unchanged
finish
