#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     test_silicon.sh [take]
#
# The sequences of corpus.txt on this processor, in QEMU and in Bochs, compared with what a processor left
# (silicon.txt). An emulator may differ only where the table of ../README.md has a finding for it. With "take",
# writes silicon.txt from this processor.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/bochs.sh

folder=bench/exec/tests
grep '^[-CPAZSO]*|' $folder/corpus.txt >"$work/corpus"

# bytes FILE: the machine code of the lines FLAGS|CODE, as a,b,c; eight bytes that no code has separate them.
bytes() {
    { sed 's/^[^|]*|//; s/$/; .quad 0x6b7265616d657261/' "$1"; } | as --64 -o "$work/codes.o" - &&
        objcopy -O binary -j .text "$work/codes.o" "$work/codes.bin" &&
        od -An -v -tx1 "$work/codes.bin" | tr -d ' \n' | sed 's/6172656d6165726b/,/g; s/,$//'
}

# left NAME: what each sequence left in the run.
left() {
    run_file_json "$1"
    jq -r --rawfile corpus $folder/corpus.txt -f $folder/left.jq "$work/$1.run.json" >"$work/$1.left"
}

# differing NAME: the sequences whose result is not silicon's.
differing() {
    paste -d '|' "$work/corpus" "$work/silicon.left" "$work/$1.left" | awk -F '|' '$3 != $4 { print $2 }'
}

# findings COLUMN: the sequences of the table in README.md that have a finding in this column.
findings() {
    sed -n '/^## Emulators compared with silicon/,/^## [^E]/p' bench/exec/README.md |
        awk -F ' *[|] *' -v column="$1" '$2 ~ /^`/ && $column !~ /^as silicon/ { gsub(/`/, "", $2); print $2 }'
}

# compared NAME COLUMN: only what the table states differs.
compared() {
    left "$1"
    differing "$1" >"$work/$1.differs"
    findings "$2" >"$work/$1.known"
    check "$1: of $(wc -l <"$work/corpus") sequences only those of the table differ from silicon" \
        "$(diff "$work/$1.known" "$work/$1.differs" | head -n 8 | tr '\n' ';')" cmp -s "$work/$1.known" "$work/$1.differs"
}

settings="exec.init=$(grep '^init|' $folder/corpus.txt >"$work/init" && bytes "$work/init")
exec.code=$(bytes "$work/corpus")
exec.repetitions=1
exec.body=1
exec.trials=1"
take=${1:-}
set --
for setting in $settings; do
    set -- "$@" --set "$setting"
done

test_host() {
    "$TARE" host --bench exec "$@" -o "$work/host.db" >"$work/output" 2>&1
    check 'this processor: each sequence ends' "$(cat "$work/output")" test -s "$work/host.db"
    left host
    if [ "$take" = take ]; then
        {
            echo '# SPDX-License-Identifier: BSD-2-Clause'
            echo '# What the sequences of corpus.txt left (left.jq), by tare host on Linux. The processor:'
            sed -n 's/^\(vendor_id\|cpu family\|model\|model name\|stepping\)[\t ]*: /\1 /p' /proc/cpuinfo |
                head -5 | sed 's/^/# /'
            echo "# $(grep -q '^flags.* hypervisor' /proc/cpuinfo && echo 'in a virtual machine' || echo 'no virtual machine')"
            cat "$work/host.left"
        } >$folder/silicon.txt
    fi
    grep -v '^#' $folder/silicon.txt >"$work/silicon.left"
    # The last five have no result that the manuals fix to the bit.
    differing host | grep -v 'fsin\|fptan\|f2xm1\|fyl2x\|fpatan' >"$work/host.differs"
    check 'this processor leaves what silicon.txt has' "$(cat "$work/host.differs")" test ! -s "$work/host.differs"
    sed '7s/=/=Z/' "$work/host.left" >"$work/mutant.left"
    check 'a changed flag is noticed, by name' "$(differing mutant)" \
        test "$(differing mutant)" = "$(sed -n '7s/.*|//p' "$work/corpus")"
}

# What ends code on Linux, in the words of the image, and a healthy code after each.
test_ends() {
    set --
    for code in 'syscall' 'mov (%rax), %rax' 'jmp .' 'int3' 'xor %ecx, %ecx; div %ecx' 'hlt' 'ud2' 'jmp *%r14'; do
        set -- "$@" --exec "$code" --exec 'lea 3(%rax), %rbx'
    done
    expect_status 'tare host --exec: code that does not end is invalid' 1 "$TARE" host "$@" \
        --set exec.limit_ms=1 -o "$work/ends.db"
    value ends '.benches[].codes[] | .reason // .left.rbx' >"$work/ends"
    cat >"$work/wanted" <<'ENDS'
SYSCALL is not allowed (#UD) at byte 0 of the code
#PF page fault, access to 0x0, at byte 0 of the code
it did not end within 1 ms: at byte 0 of the code
#BP breakpoint at byte 0 of the code
#DE divide error at byte 2 of the code
HLT is not allowed (#GP) at byte 0 of the code
#UD invalid opcode at byte 0 of the code
#PF page fault, jump to 0x600000208000, outside the code, at 0x600000208000
ENDS
    sed -i 's/$/\n0x3/' "$work/wanted"
    check 'tare host --exec: each end by name, and the next code is healthy' \
        "$(diff "$work/wanted" "$work/ends")" cmp -s "$work/wanted" "$work/ends"
}

test_qemu() {
    boot qemu 0 --shift 7 --bench exec "$@"
    compared qemu 3
    "$TARE" diff --force --all "$work/host.db" "$work/qemu.db" >"$work/diff" 2>&1
    blsi=$(grep -n 'blsi %rbx' "$work/corpus" | cut -d : -f 1)
    check 'tare diff names the registers of a sequence that differs' "$(tail -n 40 "$work/diff")" \
        grep -q "series registers[.]$blsi " "$work/diff"
}

test_bochs() {
    if ! command -v bochs >/dev/null; then
        skip Bochs 'it is not installed'
        return
    fi
    : >"$work/bochs.msrs"
    # shellcheck disable=SC2086 # a setting each
    bochs_run bochs corei7_skylake_x bench=exec $settings
    compared bochs 4
}

# The results that differ, side by side.
print_table() {
    cat "$work"/*.differs | sort -u >"$work/differs"
    [ -f "$work/bochs.left" ] || cp "$work/silicon.left" "$work/bochs.left"
    paste -d '|' "$work/corpus" "$work/silicon.left" "$work/qemu.left" "$work/bochs.left" |
        awk -F '|' -v list="$work/differs" 'BEGIN { while ((getline code <list) > 0) differs[code] = 1 }
            $2 in differs { printf "%s\n  silicon %s\n  QEMU    %s\n  Bochs   %s\n", $2, $3, $4, $5 }'
}

PATH=$PATH:/usr/sbin:/sbin
export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
test_ends
test_host "$@"
test_qemu "$@"
test_bochs
print_table
finish
