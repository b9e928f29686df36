#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/fresh.sh [COMMAND]...
#
# Runs each COMMAND, by default `make run` and `make test`, in a copy of this checkout on a minimal Debian 12.
# This shows whether set-up forgets a program that is installed on this machine by chance. Needs root and
# debootstrap. Exit status: that of the first COMMAND that fails.
#
#   FRESH          folder for Debian (default: build/fresh); debootstrap fills it if it is empty
#   FRESH_MIRROR   archive to install from (default: the one from which this machine installs Debian 12)
set -eu

fail() {
    echo "fresh: $*" >&2
    exit 1
}

# The archive of Debian 12 in this machine's own settings of apt.
own_mirror() {
    apt-get indextargets --format '$(CODENAME)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^bookworm|main|//p' | head -n 1
}

# install: the minimal system, with what a checkout needs before its set-up: make, git and certificates.
install() {
    command -v debootstrap >/dev/null 2>&1 || fail "no debootstrap here: apt install debootstrap"
    mirror=${FRESH_MIRROR:-$(own_mirror)}
    [ -n "$mirror" ] || fail "apt knows no archive of Debian 12 (bookworm): name one, FRESH_MIRROR=http://..."
    debootstrap --variant=minbase --include=make,git,ca-certificates bookworm "$root" "$mirror" >&2 ||
        fail "debootstrap failed, see its messages above; remove $root before the next try"
}

# This machine's access to its archives: host names, proxies, and certificates that only it trusts.
copy_access() {
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    apt-config dump Acquire 2>/dev/null | grep -iE '::proxy.* "[^"]' >"$root/etc/apt/apt.conf.d/90proxy" || true
    for certificate in /usr/local/share/ca-certificates/*.crt; do
        [ ! -f "$certificate" ] || cp "$certificate" "$root/usr/local/share/ca-certificates/"
    done
    chroot "$root" update-ca-certificates >/dev/null 2>&1 || fail "update-ca-certificates failed in $root"
}

# copy_checkout: copies the commit, then the files of the working tree over it.
copy_checkout() {
    rm -rf "$root/root/tare"
    git clone -q --no-hardlinks . "$root/root/tare" || fail "not a git checkout: $PWD"
    git ls-files -z --deleted | (cd "$root/root/tare" && xargs -0r rm -f)
    git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null |
        tar -x -C "$root/root/tare"
}

if [ "${1:-}" = --inside ]; then
    root=$2
    shift 2
    mount --rbind "$root" "$root" # so that a test can mount something in private
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    for command; do
        echo "fresh: $command" >&2
        # shellcheck disable=SC2016 # the inner shell expands it
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$root" \
            sh -c 'cd /root/tare && eval "$1"' sh "$command" || exit
    done
    exit 0
fi

[ "$(id -u)" -eq 0 ] || fail "needs root, for debootstrap and chroot: sudo make fresh"
cd "$(dirname "$0")/../.."
root=${FRESH:-$PWD/build/fresh}
mkdir -p "$root"
root=$(cd "$root" && pwd)
[ -x "$root/usr/bin/git" ] || install
copy_access
copy_checkout
[ $# -gt 0 ] || set -- 'make run' 'make test'
# The namespaces are separate: mounts and processes in them end when this script ends.
unshare --mount --pid --fork --kill-child tools/build/fresh.sh --inside "$root" "$@" &
trap 'kill -KILL $!' HUP INT TERM # unshare heeds nothing else
wait $!
