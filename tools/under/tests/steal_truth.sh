# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
#
# Part of bench_hypervisor.sh, which defines in_l1, l2, image and work: what a run says that its hypervisor took,
# against what L1 did to it. Each truth is made in L1 without KVM's count of steal time: two virtual processors that
# spin on one processor, a quota of a control group, SIGSTOP, and QEMU's monitor. STEAL has those to try.

# Starts L2 in L1 with its line in a file, so that L1 sees when bench gap begins. `now` notes the kernel's microseconds.
steal_start() {
    cat <<SCRIPT
stty -F /dev/ttyS1 raw
now() { echo "truth \$1" >/dev/kmsg; }
start() { /bin/$l2 -bios /firmware -kernel /tare.efi -fw_cfg name=opt/tare/plan,file=/plan -serial file:/tmp/line "\$@" & qemu=\$!; }
await() { while ! grep -aq "\$1" /tmp/line 2>/dev/null; do sleep 0.05; done; }
done_with() {
    wait \$qemu
    cat /tmp/line >/dev/ttyS1
    dmesg | sed -n 's/^\[ *\([0-9.]*\)\] truth \(.*\)/tare-truth: \2 \1/p'
}
SCRIPT
}

# steal_boot NAME: runs the script on standard input in L1 after steal_start; the run goes to $work/NAME.db.
steal_boot() {
    { steal_start && cat; } >"$work/run.sh"
    echo "${STEAL_PLAN:-bench=gap gap.ms=2000}" | tr ' ' '\n' >"$work/plan"
    [ -e "$work/firmware" ] ||
        without_tpm "$(find /usr/share/ovmf /usr/share/OVMF -name OVMF.fd | head -n 1)" "$work/firmware"
    cp "$image" "$work/tare.efi"
    in_l1 "$work/run.sh" "$work/plan" "$work/firmware" "$work/tare.efi"
    "$TARE" decode "$work/line" -o "$work/$1.db" --force >"$work/$1.decode" 2>&1
    "$TARE" show --json "$work/$1.db" >"$work/$1.json"
    cp "$work/console" "$work/$1.console"
}

# steal_fact NAME FACT: a fact of bench gap, a number.
steal_fact() {
    jq -r ".benches[] | select(.name == \"gap\") | .facts[\"$2\"]" "$work/$1.json"
}

# share_is NAME FACT-SUFFIX PERCENT: steal time by KVM, and lost time by the gaps, as shares of the watch, in per cent.
share_is() {
    steal=$(steal_fact "$1" "cause.steal$2")
    lost=$(steal_fact "$1" "stolen$2")
    all=$(steal_fact "$1" "elapsed$2")
    found=$(awk -v s="$steal" -v l="$lost" -v a="$all" 'BEGIN { printf "%.1f %.1f", 100 * s / a, 100 * l / a }')
    echo "      $1$2: truth $3 %; found $found % (steal time, gaps)"
    check "$1$2: $3 % of the time was taken, by steal time and by gaps" "$found" \
        awk -v f="$found" -v t="$3" 'BEGIN { split(f, x); exit !(x[1] > t - 1.5 && x[1] < t + 1.5 &&
            x[2] > t - 1.5 && x[2] < t + 1.5) }'
}

# stop_is NAME: the longest gap is as long as L1's stop, and the first finding says that the machine was stopped.
stop_is() {
    truth=$(sed -n 's/.*tare-truth: \(stop\|cont\) \([0-9.]*\).*/\2/p' "$work/$1.console" | tr '\n' ' ')
    # L1 stops L2 when it exits, which the reading of causes after a gap does: the stop is then in the dead time.
    longest=$({ steal_fact "$1" largest && steal_fact "$1" dead_largest; } | sort -n | tail -n 1)
    found=$(echo "$truth $longest" | awk '{ printf "%.1f %.1f", 1000 * ($2 - $1), $3 / 1000000 }')
    echo "      $1: truth and found, in ms: $found"
    check "$1: a gap as long as the stop" "$found" \
        awk -v f="$found" 'BEGIN { split(f, x); exit !(x[1] > 400 && x[2] > x[1] - 20 && x[2] < x[1] + 20) }'
    check "$1: a finding names the stop" "$(jq -c '[.findings[].text]' "$work/$1.json")" \
        jq -e -n 'input | [.findings[].text | select(test("the machine was stopped"))] |
            length == 1' "$work/$1.json" >"$work/jq"
}

# The TSC of L1 counts at 1 GHz, 8 ticks an instruction, so ticks are nanoseconds.
steal_two() {
    steal_boot two <<'SCRIPT'
start -smp 2
done_with
SCRIPT
    share_is two '' 50
    share_is two .1 50
    check 'two: what KVM offers is named' "$(jq -c '.machine' "$work/two.json")" \
        grep -q 'hypervisor_features.*steal_time.*pv_eoi' "$work/two.json"
}

steal_quota() {
    steal_boot quota <<'SCRIPT'
mkdir /tmp/cg
mount -t cgroup2 none /tmp/cg
echo +cpu >/tmp/cg/cgroup.subtree_control
mkdir /tmp/cg/third
start
echo $qemu >/tmp/cg/third/cgroup.procs
await 'tare: TSC' # not during the firmware
echo '6000 20000' >/tmp/cg/third/cpu.max
done_with
SCRIPT
    share_is quota '' 70
}

steal_sigstop() {
    steal_boot sigstop <<'SCRIPT'
start
await 'bench gap'
sleep 0.8
now stop
kill -STOP $qemu
sleep 0.5
kill -CONT $qemu
now cont
done_with
SCRIPT
    stop_is sigstop
}

steal_paused() {
    steal_boot paused <<'SCRIPT'
mkfifo /tmp/monitor.in /tmp/monitor.out
cat /tmp/monitor.out >/dev/null &
start -monitor pipe:/tmp/monitor
await 'bench gap'
sleep 0.8
now stop
echo stop >/tmp/monitor.in
sleep 0.5
echo cont >/tmp/monitor.in
now cont
done_with
SCRIPT
    stop_is paused
    # QEMU stops its own clocks, not the TSC.
    check 'paused: clocks ran apart' "$(jq -c '[.findings[].text]' "$work/paused.json")" \
        jq -e '.findings[0].rule == "drift"' "$work/paused.json" >"$work/jq"
}

part_steal() {
    for steal_part in ${STEAL:-two quota sigstop paused}; do
        "steal_$steal_part"
    done
}
