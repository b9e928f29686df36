#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=hypervisor: what a run below KVM claims, against other ways to know it. Exit status 1 if a claim does
# not hold. About 25 minutes of processor time, 10 of them for Bochs.
#
#     PARTS     parts to run, default all: repeat trace mitigations sled kernels unit_tests steal delivery linux
#     KINDS     kinds of KVM for `repeat`, default "amd intel"
#     KERNELS   kernel packages for `kernels`, default the oldest and the newest that apt knows of each series
#     KUT       vmexit.flat of kvm-unit-tests, built by you; without it unit_tests is skipped
#     KEEP      folder that gets the run files of `kernels`; default: they are deleted
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

parts=${PARTS:-repeat trace mitigations sled kernels unit_tests steal delivery linux}
# A mode needs no more samples.
exits='--bench exits --set exits.repetitions=1 --set exits.trials=40 --set exits.count=20 --set exits.pages=4'
benches=clock,contextswitch,echo,gap,idle,keystroke,timerlat,selfish,fwq,ftq,sensitivity,smicost,cliwindow,cstate,loop,call,clockread,syscall,exceptions,nesting
limit=3000

# boot_under NAME KIND OPTION...: boots below KVM; passes if the run is valid and all benches are OK.
boot_under() {
    under_name=$1
    under_kind=$2
    shift 2
    under_start=$(date +%s)
    boot_once "$under_name" --under "kvm=$under_kind" "$@"
    boot_ended "$under_name" 0
    echo "      $(($(date +%s) - under_start)) s, $(stat -c %s "$work/$under_name.log") bytes of log"
}

# costs NAME: "OPERATION INSTRUCTIONS SHARE" lines of bench exits: the most frequent value of two repetitions less that
# of one, and the smaller of their shares of samples, in per cent.
costs() {
    [ -s "$work/$1.samples" ] || sqlite3 "$work/$1.db" "SELECT name FROM series WHERE bench = 'exits'" |
        while read -r costs_series; do
            "$TARE" show --samples "exits/$costs_series" "$work/$1.db" |
                awk -v s="$costs_series" '/^-?[0-9]+$/ { print s, $1 }'
        done >"$work/$1.samples"
    awk -v ticks="$(value "$1" '.run.ticks_per_instruction')" '
        { n[$1]++; if (++count[$1, $2] > best[$1]) { best[$1] = count[$1, $2]; mode[$1] = $2 } }
        END {
            for (s in mode) {
                t = s ".twice"
                if (t in mode) {
                    a = 100 * best[s] / n[s]
                    b = 100 * best[t] / n[t]
                    printf "%s %d %d\n", s, (mode[t] - mode[s]) / ticks, a < b ? a : b
                }
            }
        }' "$work/$1.samples" | sort
}

# differ A B: "OPERATION A B B-A" lines.
differ() {
    costs "$1" >"$work/costs.a"
    costs "$2" >"$work/costs.b"
    join "$work/costs.a" "$work/costs.b" | awk '{ print $1, $2, $4, $4 - $2 }'
}

trapping='^(cpuid|rdmsr|tsc_deadline|lapic_[a-z]*|hpet_read|nothing_read|port80_[a-z]*|uart_[a-z]*|pm_timer_read|v[m]*call) '

# ---- two boots ----

part_repeat() {
    for kind in ${KINDS:-amd intel}; do
        for n in 1 2; do
            # shellcheck disable=SC2086 # words
            boot_under "exits-$kind-$n" "$kind" $exits
            boot_under "benches-$kind-$n" "$kind" --bench "$benches" --set gap.ms=300 --set idle.ms=300
        done
        for what in exits benches; do
            check "$kind: $what: two boots give the same bytes" \
                "$(sha256sum "$work/$what-$kind-1.log" "$work/$what-$kind-2.log")" \
                cmp -s "$work/$what-$kind-1.log" "$work/$what-$kind-2.log"
        done
        costs "exits-$kind-1" >"$work/modes"
        cat "$work/modes"
        check "$kind: there are modes" 'no operation was measured' test "$(wc -l <"$work/modes")" -ge 15
        "$TARE" show exits "$work/exits-$kind-1.db" | sed -n '/^  mode  /,$p' >"$work/why"
        awk '$3 < 95 { print $1, $3 }' "$work/modes" | while read -r operation share; do
            grep -qE "(^|[ ,])${operation}[:,]" "$work/why" ||
                echo "$operation: the mode has $share % of the samples, and no line says why"
        done >"$work/weak"
        check "$kind: each mode has 95 % of its samples, or a line says why" "$(cat "$work/weak")" test ! -s "$work/weak"
    done
}

# ---- L1 with other programs than tare starts ----

# in_l1 SCRIPT FILE...: runs SCRIPT in L1 with FILEs at the root. What L2 or the script writes to /dev/ttyS1 is in
# $work/line, L1's console in $work/console. As tare boots it (tools/under/under.c), also again if QEMU's SVM aborts.
in_l1() {
    L1_KERNEL='' L1_QEMU=$(command -v qemu-system-x86_64) tools/under/l1.sh make amd >"$work/made" || return 1
    for delay in 0 0.007 0.014 0.021 0.028; do
        rm -rf "$work/files" "$work/l1"
        mkdir "$work/files" "$work/l1"
        cp "$@" "$work/files/"
        printf '%s\n' sh "/${1##*/}" >"$work/files/words"
        echo 0 >"$work/files/symbols"
        [ $delay = 0 ] || echo $delay >"$work/files/delay"
        : >"$work/line"
        : >"$work/console"
        ln -s "$work/line" "$work/l1/line.out"
        ln -s "$work/console" "$work/l1/console"
        ln -s /dev/null "$work/l1/symbols"
        mkfifo "$work/l1/line.in"
        L0=$(command -v qemu-system-x86_64) L0_SHIFT=3 L1_MEMORY=1024 L1_LINE="console=ttyS0 quiet nokaslr norandmaps \
tsc=reliable mitigations=off random.trust_cpu=off panic=-1" timeout $limit tools/under/l1.sh boot amd \
            "$(head -n 1 "$work/made")" "$work/files" "$work/l1" >"$work/l0" 2>&1
        [ ! -s "$work/line" ] && grep -q 'tcg_handle_interrupt: assertion failed' "$work/l0" || return 0
    done
}

l2='qemu -L /share -machine q35,smm=off -accel kvm -cpu host -smp 1 -m 256 -nodefaults -no-reboot -display none -net none'

# KVM counts exits by reason and address in its own trace. The loops of two operations have different addresses.
part_trace() {
    cat >"$work/run.sh" <<SCRIPT
mount -t tracefs t /sys/kernel/tracing
cd /sys/kernel/tracing/events/kvm/kvm_exit
echo 'hist:keys=exit_reason.hex,guest_rip.hex:size=8192' >trigger
/bin/$l2 -bios /firmware -kernel /tare.efi -fw_cfg name=opt/tare/plan,file=/plan -serial /dev/ttyS1
cat hist
SCRIPT
    echo 'bench=exits exits.repetitions=1 exits.trials=40 exits.count=20 exits.pages=4' >"$work/plan"
    without_tpm "$(find /usr/share/ovmf /usr/share/OVMF -name OVMF.fd | head -n 1)" "$work/firmware"
    cp "$image" "$work/tare.efi"
    in_l1 "$work/run.sh" "$work/plan" "$work/firmware" "$work/tare.efi"
    check 'trace: the bench ran' "$(tail -n 3 "$work/console")" \
        grep -aq 'bench exits: OK' "$work/line"
    # The first call of a loop warms up; a trial is one and two repetitions.
    python3 tools/under/tests/exit_counts.py "$work/console" "${image%.efi}.elf" $((1 + 40 * 3)) >"$work/counts"
    trace_status=$?
    cat "$work/counts"
    check 'trace: KVM counts the exits of each operation that the bench made' "$(grep WRONG "$work/counts")" \
        test $trace_status -eq 0
}

# kvm-unit-tests prints means of ticks, 8 an instruction; its loop has 9 to 13 instructions, and its pages are of 2 MiB,
# so that KVM walks one level of page tables less to decode an instruction (112 instructions in Linux 6.1). L1's tick,
# one in 500,000 instructions, is part of a mean: about 0.6 %. Its cpuid asks for leaves in turn (some 200 instructions
# more for every second one), and its vmcall executes CPUID twice before the VMMCALL.
part_unit_tests() {
    if [ -z "${KUT:-}" ]; then
        skip 'kvm-unit-tests' 'no KUT=x86/vmexit.flat'
        return
    fi
    their_tests='cpuid vmcall wbinvd invd inl_from_pmtimer inl_from_qemu inl_from_kernel outl_to_kernel'
    their_tests="$their_tests wr_tsc_adjust_msr rd_tsc_adjust_msr toggle_cr0_wp toggle_cr4_pge"
    cat >"$work/run.sh" <<SCRIPT
/bin/$l2 -L / -device isa-debug-exit,iobase=0xf4,iosize=0x4 -kernel /vmexit.flat -append \
    '$their_tests' -serial /dev/ttyS1
SCRIPT
    cp "$KUT" "$work/vmexit.flat"
    in_l1 "$work/run.sh" "$work/vmexit.flat" /usr/share/qemu/multiboot_dma.bin /usr/share/seabios/bios-256k.bin
    # shellcheck disable=SC2086 # words
    [ -s "$work/base.db" ] || boot_under base amd $exits
    costs base >"$work/ours"
    # Its test, our operation, exits of the operation, and CPUIDs that its test executes beside it.
    while read -r theirs_name ours_name exits_of cpuids; do
        theirs=$(awk -v n="$theirs_name" '$1 == n { printf "%d", $2 / 8 }' "$work/line")
        mine=$(awk -v n="$ours_name" '$1 == n { print $2 }' "$work/ours")
        cpuid=$(awk '$1 == "cpuid" { print $2 }' "$work/ours")
        echo "      $theirs_name: ${theirs:-none}; our $ours_name: ${mine:-none}, and $cpuids CPUIDs of $cpuid"
        check "kvm-unit-tests: $theirs_name" "theirs ${theirs:-none}, ours ${mine:-none}" awk -v a="${theirs:-0}" \
            -v b="$((${mine:-0} + cpuids * cpuid))" -v exits=$((exits_of + cpuids)) \
            'BEGIN { d = a - b; exit !(a > 0 && d >= -120 * exits && d <= 60 * exits + 0.006 * b) }'
    done <<'PAIRS'
cpuid cpuid 1 0
vmcall vmmcall 1 2
wbinvd wbinvd 1 0
invd invd 1 0
inl_from_pmtimer pm_timer_read 1 0
inl_from_qemu unused_port 1 0
inl_from_kernel elcr_read 1 0
outl_to_kernel elcr_write 1 0
rd_tsc_adjust_msr tsc_adjust_read 1 0
wr_tsc_adjust_msr tsc_adjust_write 1 0
toggle_cr0_wp cr0_wp 2 0
toggle_cr4_pge cr4_pge 2 0
PAIRS
}

# ---- differences that are there ----

part_mitigations() {
    # shellcheck disable=SC2086 # words
    [ -s "$work/base.db" ] || boot_under base amd $exits
    # shellcheck disable=SC2086 # words
    boot_under auto amd $exits --l1-append mitigations=auto
    differ base auto | tee "$work/differences"
    grep -E "$trapping" "$work/differences" >"$work/exiting"
    check 'mitigations: every exit takes longer' "$(awk '$4 <= 0' "$work/exiting")" \
        awk '$4 <= 0 { bad = 1 } END { exit bad || NR < 12 }' "$work/exiting"
    check 'mitigations: what does not exit does not' "$(cat "$work/differences")" \
        awk '/^(loop|rdtsc|invlpg|cr3) / && $4 != 0 { bad = 1 } END { exit bad }' "$work/differences"
}

# The commands of the workflow in README.md that measure and compare.
recipe() {
    sed -n '/^```yaml hypervisor$/,/^```$/p' tools/under/README.md | sed '1d;$d' | /usr/bin/python3 -c '
import sys, yaml
steps = yaml.safe_load(sys.stdin)["jobs"]["exits"]["steps"]
print(*(step["run"] for step in steps if step.get("name") in ("Measure", "Compare")), sep="\n")'
}

# A hundred NOPs in the path of a CPUID.
part_sled() {
    mkdir -p "$work/deb"
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    (cd "$work/deb" && apt-get -q download "$package" >apt.log 2>&1) || {
        fail 'sled' "cannot download $package"
        return
    }
    for nops in 0 100; do
        sh tools/under/tests/slower_kernel.sh "$work"/deb/linux-image-*.deb kvm-amd kvm_emulate_cpuid $nops \
            "$work/nops-$nops.deb" || return
        boot_under "nops-$nops" amd --bench exits --set exits.repetitions=1 --set exits.trials=40 \
            --l1-kernel "$work/nops-$nops.deb" --profile-exits
    done
    differ nops-0 nops-100 | tee "$work/differences"
    check 'sled: a CPUID takes 100 instructions more' "$(cat "$work/differences")" \
        grep -qE '^cpuid .* (99|100|101)$' "$work/differences"
    # Addresses of L1 move with the size of a module, and with them a path by an instruction for each exit.
    check 'sled: nothing else does' "$(awk '$1 != "cpuid" && $4 != 0' "$work/differences")" \
        awk '$1 != "cpuid" && $4 * $4 > (1 + $2 / 4000) ^ 2 { bad = 1 } END { exit bad || NR < 15 }' "$work/differences"
    recipe >"$work/recipe.sh"
    mkdir "$work/recipe" "$work/recipe/reference" "$work/recipe/bin"
    cp "$work/nops-0.db" "$work/recipe/reference/amd.db"
    ln -s "$(realpath "$TARE")" "$work/recipe/bin/tare"
    compare_status=0
    (
        export PATH="$work/recipe/bin:$PATH" KINDS=amd LIMIT=10instructions REFERENCE=reference KERNEL="$work/nops-100.deb"
        ln -s "$PWD/build" "$PWD/tools" "$work/recipe/" && cd "$work/recipe" && sh ../recipe.sh
    ) >"$work/compared" 2>&1 || compare_status=$?
    cat "$work/compared"
    check 'sled: the recipe of README.md fails' "status $compare_status" test $compare_status -eq 1
    check 'sled: and names the exit' "$(cat "$work/compared")" grep -qE 'exits\.cpuid +[0-9]+ +[0-9]+ ' "$work/compared"
    check 'sled: and names the function with its instructions' "$(cat "$work/compared")" \
        grep -qE 'tare_sled \[kvm_amd\] \+100' "$work/compared"
}

# ---- a history of kernels ----

kernels() {
    apt-cache search --names-only '^linux-image-[0-9].*-cloud-amd64$' | cut -d ' ' -f 1 | sort -V >"$work/packages"
    for series in 6.1.0- 6.12.; do
        grep "^linux-image-$series" "$work/packages" | sed -n '1p;$p'
    done
}

part_kernels() {
    mkdir -p "$work/runs"
    n=0
    for package in ${KERNELS:-$(kernels)}; do
        n=$((n + 1))
        # shellcheck disable=SC2086 # words
        boot_under "kernel-$n" amd $exits --l1-kernel "$package"
        cp "$work/kernel-$n.db" "$work/runs/$n-${package#linux-image-}.db"
    done
    [ -z "${KEEP:-}" ] || cp "$work/runs"/*.db "$KEEP/"
    "$TARE" compare --history "$work/runs" --metric 'exits.*' >"$work/history"
    cat "$work/history"
    check 'kernels: all are in one history' "$(head -n 12 "$work/history")" grep -q "runs  *$n:" "$work/history"
    check 'kernels: the change is dated, and the kernel named as its cause' "$(cat "$work/history")" \
        grep -q 'with another L1 kernel' "$work/history"
}

# ---- promises, and a program on Linux ----

# QEMU's SVM delivers an injected interrupt a second time if L1 gets one at once; without a hypervisor it does not.
part_delivery() {
    for seed in $(seq 20); do
        boot "plain$seed" 0 --bench delivery --set "delivery.seed=$seed"
    done
    boot_once delivery --under kvm --bench delivery
    boot_ended delivery 1
    reason=$(value delivery '.benches[] | select(.name == "delivery") | .reason')
    check 'delivery: the double delivery is found, by name' "$reason" \
        sh -c 'echo "$1" | grep -qE "^once: .*expected 1 delivery, got 2"' sh "$reason"
    seed=$(echo "$reason" | sed -n 's/.*delivery\.seed=\([0-9]*\).*/\1/p')
    echo "      $reason"
    check 'delivery: with the seed that repeats it' "$reason" test -n "$seed"
}

part_linux() {
    for n in 1 2; do
        boot_once "linux-$n" --under linux -- --bench loop,call,syscall
        boot_ended "linux-$n" 0
    done
    check 'linux: two boots give the same bytes' "$(sha256sum "$work/linux-1.log" "$work/linux-2.log")" \
        cmp -s "$work/linux-1.log" "$work/linux-2.log"
}

. tools/under/tests/steal_truth.sh

for part in $parts; do
    "part_$part"
done
finish
