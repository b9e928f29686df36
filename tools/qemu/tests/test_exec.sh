#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Bench exec: known sequences have exactly the instructions that they have; what ring 3 may not do is
# refused by name; and whatever the code does, the code behind it and the next bench run.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# Instructions of one execution, and the code. TCG counts each turn of REP, and its last look at the
# count, as an instruction.
cat >"$work/known" <<'CODES'
1|nop
1|add %rax, %rbx
2|add $1, %rax; mov %rax, %rbx
3|push %rax; pop %rbx; nop
2|pushfq; popfq
1|imul %rax, %rax
4|mov $7, %eax; xor %edx, %edx; mov $2, %ecx; div %ecx
1|mov (%r14), %rax
2|mov %rax, (%rsi); mov (%rsi), %rbx
1|lock incq (%rdi)
3|xor %eax, %eax; test %eax, %eax; jz 1f; 1:
4|xor %eax, %eax; test %eax, %eax; jnz 1f; nop; 1:
1|jmp 1f; ud2; 1:
11|mov $5, %ecx; 1: dec %ecx; jnz 1b
201|mov $100, %ecx; 1: dec %ecx; jnz 1b
4|jmp 2f; 1: nop; ret; 2: call 1b
3|call 1f; 1: pop %rax; nop
6|lea 1f(%rip), %rax; jmp *%rax; ud2; 1: nop; xchg %rax, %rbx; cmp $1, %al; setz %bl
1|cpuid
1|rdtsc
1|lfence
1|pause
1|movsb
11|mov %rsi, %rbx; mov $4, %ecx; 1: lodsb; loop 1b; mov %rbx, %rsi
2|std; cld
3|movaps %xmm0, %xmm1; addps %xmm1, %xmm0; pxor %xmm2, %xmm2
2|movups %xmm0, (%r14); movups (%r14), %xmm3
3|fld1; fld1; faddp
2|emms; fninit
1|stmxcsr (%r14)
2|movnti %rax, (%rsi); bswap %rbx
2|mov %ds, %eax; mov %fs, %ebx
3|mov $0x2b, %eax; mov %eax, %gs; nop
2|enter $16, $0; leave
4|mov $1, %eax; cmp $1, %eax; cmove %ebx, %ecx; xadd %rax, (%rdi)
4|mov $2, %ecx; rep stosb
5|mov $3, %ecx; rep movsb
2|.intel_syntax noprefix; mov rax, [r14]; lea rbx, [rax + 4 * rax]
CODES

cat >"$work/vectors" <<'CODES'
2|vaddps %ymm0, %ymm1, %ymm2; vmovups %ymm2, (%r14)
2|vpaddd %ymm0, %ymm1, %ymm2; vzeroupper
CODES

# What is refused, and the code.
cat >"$work/privileged" <<'CODES'
HLT|nop; hlt
CLI|cli
STI|sti
WRMSR|mov $0x1b, %ecx; wrmsr
RDMSR|rdmsr
MOV to CR|mov %rax, %cr3
MOV from CR|mov %cr0, %rax
MOV to DR|mov %rax, %dr7
MOV from DR|mov %dr0, %rax
IN|in $0x60, %al
OUT|mov $0x64, %dx; outb %al, %dx
INS|insb
OUTS|outsb
LGDT|lgdt (%r14)
LIDT|lidt (%r14)
LLDT|lldt %ax
LTR|ltr %ax
LMSW|lmsw %ax
CLTS|clts
INVD|invd
WBINVD|wbinvd
INVLPG|invlpg (%r14)
SWAPGS|swapgs
XSETBV|xsetbv
SYSCALL|syscall
SYSRET|sysretq
SYSENTER|sysenter
SYSEXIT|sysexitq
INT|int $0x80
INT|int $0x40
RSM|rsm
CODES

# What ended the code, as a pattern, and the code. Between them code that is healthy.
cat >"$work/faults" <<'CODES'
^#UD invalid opcode at byte 1 of the code$|nop; ud2
OK|add %rax, %rbx
^#DE divide error at byte 2 of the code$|xor %ecx, %ecx; div %ecx
^#BP breakpoint|int3
^#PF page fault, read of 0x0, at byte 0 of the code$|mov 0, %rax
^#PF page fault, write to 0x100000, at byte 0 of the code$|mov %rax, 0x100000
^#PF page fault, write to 0x|mov $0x100000, %edi; mov $0x10000000, %ecx; rep stosb
^#PF page fault, write to 0xfee000b0|mov $0xfee000b0, %edi; mov %eax, (%rdi)
^#[GP][PF] |1: rdtsc; imul $0x5851f42d, %rax, %rax; mov %rax, (%rax); jmp 1b
^#PF page fault, write to 0x6|lea (%rip), %rax; mov %eax, (%rax)
^#PF page fault, jump to 0x6|jmp *%r14
^#PF page fault, jump to 0x0, outside the code|ret
OK|push %rax; pop %rbx
^#PF page fault, write to 0x6|1: push %rax; jmp 1b
^#PF page fault, write to 0x6|1: call 1b
^#PF page fault, write to 0x7ffff8|mov $0x800000, %esp; push %rax
^#[GS][PS] |movabs $0x4000000000000000, %rsp; push %rax
^#GP general protection at byte 10 |movabs $0x4000000000000000, %rax; mov (%rax), %rbx
^#GP general protection|movaps 1(%r14), %xmm0
^#DB debug|pushfq; orl $0x100, (%rsp); popfq; nop
OK|std; pushfq; orl $0x40000, (%rsp); popfq
^it did not end within 20 ms: at byte 0 of the code$|jmp .
^it did not end within 20 ms: |xor %esp, %esp; 1: pause; jmp 1b
^it did not end within 20 ms: |1: mov $1, %r15; dec %rcx; jmp 1b
^#BP breakpoint outside the code|jmp .+0x20000
^it ended without reading the counters|xor %eax, %eax; lea (%rip), %rdi; andq $-0x100000, %rdi; add $0x100000, %rdi; mov $512, %ecx; rep stosq
^the code changes R15|mov $1, %r15d
OK|push %r15; pop %r15
CODES

# boot_codes NAME STATUS FILE OPTION...: one boot with all codes of the file.
boot_codes() {
    codes_name=$1
    codes_status=$2
    codes_file=$3
    shift 3
    while IFS='|' read -r _ codes_code; do
        set -- "$@" --exec "$codes_code"
    done <"$work/$codes_file"
    boot "$codes_name" "$codes_status" --shift 6 --set exec.repetitions=20 --set exec.body=4 \
        --set exec.trials=2 --set exec.limit_ms=20 "$@"
}

# codes NAME: the codes of the run as JSON.
codes() {
    value "$1" '.benches[] | select(.name == "exec") | .codes'
}

# counts NAME FILE: in both forms, and in each trial, the instructions are those of the file.
counts() {
    codes "$1" >"$work/got.json"
    jq -Rn '[inputs | split("|") | {count: (.[0] | tonumber), code: .[1]}]' "$work/$2" \
        >"$work/wanted.json"
    jq -r --slurpfile got "$work/got.json" 'to_entries[] | .value as $wanted |
        $got[0][.key] as $got | [$got.unrolled, $got.looped] |
        select(map(.ticks.min == 64 * $wanted.count and .ticks.max == 64 * $wanted.count) |
            all | not) | "\($wanted.code): \($wanted.count) wanted, \(map(.ticks.median) | tostring)"' \
        "$work/wanted.json" >"$work/wrong" || echo 'no codes' >"$work/wrong"
    check "$1: $(wc -l <"$work/$2") sequences have exactly their instructions" \
        "$(cat "$work/wrong")" test ! -s "$work/wrong"
}

test_known() {
    boot_codes known 0 known --events instructions
    counts known known
    check 'known: counts of the event are the same' "$(codes known | head -c 300)" json known \
        '.benches[] | select(.name == "exec") | [.codes[] | .unrolled, .looped] |
            all(.events.instructions.median * 64 == .ticks.median)'
    check 'known: the source is in the run' "$(codes known | head -c 300)" json known \
        '.benches[] | select(.name == "exec") | .codes[1].source == "add %rax, %rbx"'
    "$TARE" show --full "$work/known.db" >"$work/shown"
    check 'known: tare show prints source, form and count' "$(grep 'imul' "$work/shown")" \
        grep -q 'imul %rax, %rax  *looped  *2  *1.00  *1.00  *1.00$' "$work/shown"
    if json known '.benches[] | select(.name == "exec") | .found.vectors | startswith("avx")'; then
        boot_codes vectors 0 vectors
        counts vectors vectors
    else
        skip 'sequences of AVX' 'the processor has none'
    fi
}

# Init's registers and flags reach the code through the first reading. Where QEMU takes plugins, loads
# and stores are those of the code.
cat >"$work/init" <<'CODES'
6|jc 1f; ud2; 1: mov (%rax), %rbx; mov (%rcx), %rbx; mov (%rdx), %rbx; mov %rbx, (%r14); stc
CODES
test_init() {
    plugin=
    ! qemu-system-x86_64 -help | grep -q '^-plugin ' || plugin='--count p5'
    # shellcheck disable=SC2086
    boot_codes init 0 init --exec-init 'mov %r14, %rax; mov %rsi, %rcx; mov %rdi, %rdx; stc' $plugin
    counts init init
    if [ -n "$plugin" ]; then
        check 'init: three loads and one store, by the plugin' "$(codes init | head -c 600)" \
            json init '.benches[] | select(.name == "exec") | .codes[0] | [.unrolled, .looped] |
                all(.events.loads.median == 3 and .events.stores.median == 1)'
    else
        skip 'loads and stores' 'QEMU here takes no plugins'
    fi
}

test_privileged() {
    boot_codes privileged 1 privileged
    jq -Rr 'split("|")[0] + " is not allowed"' "$work/privileged" >"$work/wanted"
    codes privileged | jq -r '.[].reason | sub(" is not allowed .*"; " is not allowed")' >"$work/got"
    check "$(wc -l <"$work/wanted") privileged instructions are refused by name" \
        "$(diff "$work/wanted" "$work/got")" cmp -s "$work/wanted" "$work/got"
}

matches() {
    printf '%s\n' "$1" | grep -q -e "$2"
}

# The next bench has the figures of a boot without such code.
test_survival() {
    boot_codes faults 1 faults --bench exec,call,syscall,exceptions --set call.trials=2
    codes faults | jq -r '.[] | .reason // "OK"' >"$work/got"
    number=0
    while IFS='|' read -r pattern code; do
        number=$((number + 1))
        got=$(sed -n "${number}p" "$work/got")
        check "survives: $code" "$got" matches "$got" "$pattern"
    done <"$work/faults"
    check 'the bench is FAIL, no crash, and the next ones are OK' \
        "$(value faults '.benches[] | .name, .status, .reason')" json faults \
        '[.benches[] | .status == (if .name == "exec" then "FAIL" else "OK" end)] | length == 4 and all'
    boot healthy 0 --shift 6 --bench call,syscall,exceptions --set call.trials=2
    for name in faults healthy; do
        value $name '.benches[] | select(.name != "exec") | .name as $b | .series[] |
            [$b, .name, .min, .median, .max] | tostring' >"$work/$name.figures"
    done
    check 'they have the figures of a run without it' \
        "$(diff "$work/faults.figures" "$work/healthy.figures" | head -5)" \
        cmp -s "$work/faults.figures" "$work/healthy.figures"
}

# Any bytes: 64 codes of 24, the same in each run of this test.
test_random() {
    bytes=$(awk 'BEGIN {
        for (seed = i = 1; i <= 64 * 24; i++) {
            seed = (seed * 16807) % 2147483647
            printf "%s%02x", (i > 1 && i % 24 == 1) ? "," : "", int(seed / 8388608)
        }
    }')
    boot random 1 --shift 6 --bench exec,loop,process --set "exec.code=$bytes" \
        --set exec.repetitions=4 --set exec.body=2 --set exec.trials=1 --set exec.limit_ms=5 \
        --set process.calls=50 --set process.pages=4
    check 'random bytes: each code has figures or a reason, and the next benches are OK' \
        "$(value random '.benches[] | .name, .status, .reason')" json random \
        '([.benches[] | .status == (if .name == "exec" then "FAIL" else "OK" end)] |
            length == 3 and all) and ([.benches[] | select(.name == "exec") | .codes[] |
            .reason != null or .looped != null] | length == 64 and all)'
}

# Code that outlives the bench's own limit, in ring 3: the watchdog ends it there.
test_watchdog() {
    boot watchdog 1 --shift 6 --bench exec,loop,process --exec 'jmp .' --set exec.limit_ms=4000 \
        --set bench.limit_ms=1500 --set process.calls=50 --set process.pages=4
    check 'the watchdog ends a bench in the sandbox, and ring 3 is there for the next' \
        "$(value watchdog '.benches[] | .name, .status, .reason')" json watchdog \
        '[.benches[] | .status == (if .name == "exec" then "CRASH" else "OK" end)] |
            length == 3 and all'
}

# refused NAME PATTERN OPTION...: `tare boot` ends before QEMU starts, with a message.
refused() {
    refused_name=$1
    refused_pattern=$2
    shift 2
    PATH=${refused_path:-$PATH} "$TARE" boot --log "$work/refused.log" -o "$work/refused.db" "$@" \
        >"$work/refused" 2>&1
    check "refused: $refused_name" "$(cat "$work/refused")" grep -q -e "$refused_pattern" \
        "$work/refused"
}

test_refused() {
    refused 'no instruction' "no such instruction: .foo %rax" --exec 'foo %rax'
    refused 'a symbol' 'undefined reference to .foo' --exec 'call foo'
    refused 'another section' 'other than .text has data' --exec '.data; .byte 1'
    refused 'nothing' 'it has no instruction' --exec ' '
    refused 'too long' 'more than 1024 bytes' --exec 'nop; .skip 2000'
    refused 'a brace' 'come in pairs' --exec '.ascii "x"; mov %rax, %rbx # "{' --exec '.ascii "{'
    refused 'init alone' 'exec-init needs --exec' --exec-init nop
    refused 'inits' '2 inits for 3 codes' --exec nop --exec nop --exec nop --exec-init nop \
        --exec-init nop
    refused_path=/var/empty
    refused 'without as' 'install package binutils' --exec nop
}

test_refused
test_known
test_init
test_privileged
test_survival
test_random
test_watchdog
finish test_exec
