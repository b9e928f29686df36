# SPDX-License-Identifier: BSD-2-Clause
#
# Starts a PostgreSQL server for the test in $work/pg; it ends with the test. Sourced after lib.sh.
#
# shellcheck shell=sh

server=$(find /usr/lib/postgresql -name initdb -path '*/bin/*' 2>/dev/null | sort -V | tail -n 1)
server=${server%/initdb}
# The address that tests use.
# shellcheck disable=SC2034,SC2154
remote="postgresql://tare@/postgres?host=$work/pg"

# Runs a command as a user other than root, because PostgreSQL does not run as root.
as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

stop_server() {
    [ ! -e "$work/pg/data/postmaster.pid" ] ||
        as_server "$server/pg_ctl" -D "$work/pg/data" -m immediate stop >"$work/stop" 2>&1
    rm -rf "$work"
}
trap stop_server EXIT

# start_server SETTING...: starts it with these settings of postgresql.conf.
start_server() {
    server_settings="-c listen_addresses= -c unix_socket_directories=$work/pg"
    for setting in "$@"; do
        server_settings="$server_settings -c $setting"
    done
    chmod a+x "$work"
    mkdir "$work/pg"
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$work/pg"
    as_server "$server/initdb" -D "$work/pg/data" -A trust -U tare -E UTF8 --locale=C -N \
        --no-instructions &&
        as_server "$server/pg_ctl" -D "$work/pg/data" -w -l "$work/pg/log" start -o "$server_settings"
}
