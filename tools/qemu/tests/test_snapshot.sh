#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Boots from a snapshot: the same bytes as in full, whatever the plan; and in full where there is no
# snapshot to be had.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

export TARE_CACHE="$work/cache"
real=$image
image=$work/copy.efi
cp "$real" "$image"

# QEMU, with a line for each start.
cat >"$work/qemu" <<END
#!/bin/sh
case "\$*" in
*-incoming*) echo resume ;;
*opt/tare/hold*) echo make ;;
*opt/tare/plan*) echo full ;;
esac >>"$work/starts"
exec qemu-system-x86_64 "\$@"
END
chmod +x "$work/qemu"

# run NAME STARTS OPTION...: boots, and QEMU is started like this.
run() {
    run_name=$1
    run_starts=$2
    shift 2
    : >"$work/starts"
    boot "$run_name" 0 --qemu "$work/qemu" "$@" "$image"
    check "$run_name: starts of QEMU" "expected $run_starts, got $(tr '\n' ' ' <"$work/starts")" \
        test "$(tr '\n' ' ' <"$work/starts")" = "$run_starts "
}

# same A B: the logs.
same() {
    check "$1 and $2: the same bytes" "$(cmp "$work/$1.log" "$work/$2.log" 2>&1)" \
        cmp -s "$work/$1.log" "$work/$2.log"
}

snapshots() {
    find "$TARE_CACHE/snapshots" -mindepth 1 -maxdepth 1 -type d | wc -l
}

the_snapshot() {
    find "$TARE_CACHE/snapshots" -mindepth 1 -maxdepth 1 -type d -size -1000
}

test_plans() {
    run quick_full full --profile quick --full-boot
    check '--full-boot: leaves the cache alone' "$(ls "$work")" test ! -e "$TARE_CACHE"
    run quick_made 'make resume' --profile quick
    run quick_resumed resume --profile quick
    same quick_full quick_made
    same quick_full quick_resumed
    check 'the firmware has sent something, which the log begins with' 'serial is empty' \
        test -s "$(the_snapshot)/serial"
    run plan_full full --bench clock,gap --set gap.ms=300 --full-boot
    run plan_resumed resume --bench clock,gap --set gap.ms=300
    same plan_full plan_resumed
    check 'one snapshot for both plans' "$(snapshots)" test "$(snapshots)" = 1
    run repeat_resumed 'resume resume' --bench clock --repeat 2
    check 'two of --repeat: the same bytes' 'the logs differ' \
        cmp -s "$work/repeat_resumed-1.log" "$work/repeat_resumed-2.log"
}

test_what_boots_in_full() {
    run clock_full full --bench clock --full-boot
    exec 9>>"$TARE_CACHE/snapshots/lock"
    flock 9
    run locked full --bench clock --memory 200 9>&-
    exec 9>&-
    here=$TARE_CACHE
    TARE_CACHE=$work/starts/no_folder
    run no_cache full --bench clock
    TARE_CACHE=$here
    same clock_full no_cache
    # The memory's file is larger than a file may be.
    ulimit -S -f 120000
    run no_room 'make full' --bench clock --memory 255
    ulimit -S -f unlimited
    check 'nothing is left of what had no room' "$(ls "$TARE_CACHE/snapshots")" \
        test ! -e "$TARE_CACHE/snapshots/making"
}

test_damage() {
    damaged=$(the_snapshot)
    truncate -s -1000 "$damaged/state"
    run cut 'make resume' --bench clock
    same clock_full cut
    touch "$damaged/ram"
    run touched 'make resume' --bench clock
    same clock_full touched
    # A whole file, which QEMU refuses.
    truncate -s 1000 "$damaged/state"
    sed -i "s/^state .*/state $(sha256sum <"$damaged/state" | cut -d' ' -f1)/" "$damaged/about"
    run refused 'resume full' --bench clock
    same clock_full refused
    run unusable full --bench clock
    same clock_full unusable
}

test_other_image() {
    printf '\0' >>"$image"
    mkdir "$TARE_CACHE/snapshots/making"
    touch "$TARE_CACHE/snapshots/making/state.part"
    for i in 1 2 3 4 5 6 7 8; do
        mkdir "$TARE_CACHE/snapshots/$(printf '%064d' "$i")"
    done
    run other 'make resume' --bench clock
    check 'another image has another snapshot' "$(snapshots)" test ! -e "$damaged/none"
    check 'the oldest were removed, and what a killed maker left' "$(ls "$TARE_CACHE/snapshots")" \
        test "$(snapshots)" = 8
    run other_again resume --bench clock
    same other other_again
}

# A plugin sees the guest from the hold on, in the snapshot of a machine without one.
test_counts() {
    run counted_full full --bench keystroke,process --count p5 --full-boot
    run counted resume --bench keystroke,process --count p5
    same counted_full counted
    check 'counts: the run files are the same' "$("$TARE" diff --all "$work/counted_full.db" "$work/counted.db" 2>&1)" \
        test -z "$("$TARE" diff --all "$work/counted_full.db" "$work/counted.db" 2>&1)"
    check 'counts: there are some' 'no series' \
        json counted '[.benches[].series[] | select(.name | endswith(".loads"))] | length > 5'
}

test_hub() {
    hub='--net hub --shift 6 --bench rtt,netload,connection'
    # shellcheck disable=SC2086 # one word an option
    run hub_full full $hub --full-boot
    for i in 1 2 3; do
        # shellcheck disable=SC2086
        run "hub_$i" "$([ "$i" = 1 ] && echo 'make ')resume" $hub
        same hub_full "hub_$i"
    done
}

# Of an NVMe controller QEMU 7.2 cannot save the state.
test_refused() {
    sed "s/\"\$@\"/& -blockdev driver=null-co,node-name=x -device nvme,serial=1,drive=x/" "$work/qemu" >"$work/nvme"
    chmod +x "$work/nvme"
    cp "$work/nvme" "$work/qemu"
    run refused_first 'make full' --bench clock
    run refused_again full --bench clock
    same refused_first refused_again
}

test_two_at_once() {
    TARE_CACHE=$work/another_cache
    boot a 0 --bench clock "$image" >"$work/a.sum" &
    boot b 0 --bench clock "$image"
    wait
    check 'two at once: the first' "$(cat "$work/a.sum")" grep -q '^pass' "$work/a.sum"
    same a b
}

test_plans
test_counts
test_what_boots_in_full
test_damage
test_hub
test_other_image
test_refused
test_two_at_once
finish
