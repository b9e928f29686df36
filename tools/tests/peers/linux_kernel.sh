# SPDX-License-Identifier: BSD-2-Clause
#
# Debian's current kernel for the guests of bench_linux.sh, linux_network.sh and bench_noise.sh; sourced
# after boot.sh.
#
#     LINUX_KERNEL   boots this kernel instead of Debian's
#     GUEST_CACHE    where the kernel is kept (default build/linux-guest)
#
# shellcheck shell=sh

cache=${GUEST_CACHE:-build/linux-guest}

give_up() {
    echo "linux guest: $*" >&2
    exit 1
}

# Gets package $1 into the current folder. apt believes only what the archive's signed index lists;
# an index that is out of date names files that the archive no longer has.
download() {
    apt-get -o APT::Get::AllowUnauthenticated=false download "$1" >"$work/apt" 2>&1 && return
    if [ "$(id -u)" -eq 0 ]; then
        apt-get update >>"$work/apt" 2>&1
    else
        # shellcheck disable=SC2024 # the log is ours, not root's
        sudo -n apt-get update >>"$work/apt" 2>&1
    fi
    apt-get -o APT::Get::AllowUnauthenticated=false download "$1" >>"$work/apt" 2>&1
}

# Sets kernel, and prints which it is: what package $1 depends on (default linux-image-amd64). Beside it lies
# $kernel.modules, an archive of the modules of its NICs.
find_kernel() {
    kernel_meta=${1:-linux-image-amd64}
    if [ -n "${LINUX_KERNEL:-}" ]; then
        kernel=$LINUX_KERNEL
        [ -r "$kernel" ] || give_up "cannot read $kernel"
        echo "kernel $kernel, sha256 $(sha256sum <"$kernel" | cut -d ' ' -f 1)" >&2
        return
    fi
    package=$(apt-cache depends "$kernel_meta" 2>/dev/null |
        sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
    [ -n "$package" ] || give_up "apt knows no $kernel_meta: run apt-get update, or name a" \
        'kernel with LINUX_KERNEL'
    mkdir -p "$cache" || exit 1
    kernel=$cache/vmlinuz-${package#linux-image-}
    if [ ! -e "$kernel" ] || [ ! -e "$kernel.modules" ]; then
        echo "fetching $package" >&2
        mkdir "$work/package"
        (cd "$work/package" && download "$package" && mv ./*.deb archive) ||
            give_up "cannot fetch $package: $(tail -n 1 "$work/apt")"
        dpkg-deb --fsys-tarfile "$work/package/archive" | tar -xf - -C "$work/package" \
            --wildcards ./boot '*/intel/e1000e/e1000e.ko' ||
            give_up "cannot unpack $package"
        dpkg-deb --field "$work/package/archive" Version >"$kernel.version"
        sha256sum <"$work/package/archive" | cut -d ' ' -f 1 >"$kernel.sha256"
        tar -cf "$kernel.modules" -C "$work/package/lib/modules" . || exit 1
        cp "$work/package/boot/${kernel##*/}" "$kernel.new" && mv "$kernel.new" "$kernel" || exit 1
    fi
    echo "kernel $package $(cat "$kernel.version"), package sha256 $(cat "$kernel.sha256")" >&2
}
