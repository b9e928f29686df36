#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/parquet_readers.sh
#
# Prints a folder whose node_modules has two readers of Parquet that are not ours, hyparquet and
# DuckDB's @duckdb/node-api, for a test; gets them first when they are not cached.
#
#   TARE_CACHE   cache folder, ${XDG_CACHE_HOME:-$HOME/.cache}/tare by default
#
# Only the path goes to stdout; progress goes to stderr. Pinned archives of the npm registry, unpacked
# as npm does, so that a fresh machine needs curl and node, and no npm.
set -eu

# package | version | SHA-256
table() {
    cat <<'TABLE'
hyparquet|1.33.0|6af16c6ed33e983d6ee6e5e05b1ef3ae766efc22240fac3eb56ecd2ab5780e9b
@duckdb/node-api|1.5.6-r.1|64d5080af3c0144329f9cbdbff7bc867c9c1f9df57a7e7e2a8b13bc6ed2bc664
@duckdb/node-bindings|1.5.6-r.1|9d1ebca9020dcd5680e2e38bd182f1a0e69e59f00d31dfc5afca2623b8a34ac3
@duckdb/node-bindings-linux-x64|1.5.6-r.1|1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
detect-libc|2.1.2|270dec0fc06cff86481da8af2dd8f18dee6b602790b14ef0e1c2c18d7da39427
TABLE
}

fail() {
    echo "parquet_readers: $*" >&2
    exit 1
}

cache=${TARE_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set; set TARE_CACHE}/.cache}/tare}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
folder=$cache/parquet-readers-$(table | sha256sum | cut -c 1-16)
if [ ! -d "$folder" ]; then
    work=$(mktemp -d "$cache/parquet.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    command -v curl >/dev/null 2>&1 || fail "no curl to get the readers with"
    table | while IFS='|' read -r package version sha256; do
        address=https://registry.npmjs.org/$package/-/${package##*/}-$version.tgz
        echo "parquet_readers: getting $address" >&2
        curl -fsSL --retry 2 --connect-timeout 20 -o "$work/package.tgz" "$address" ||
            fail "could not get $address"
        echo "$sha256  $work/package.tgz" | sha256sum -c --status - || fail "$address: wrong SHA-256"
        mkdir -p "$work/tree/node_modules/$package"
        tar -xzf "$work/package.tgz" -C "$work/tree/node_modules/$package" --strip-components=1
    done
    mv "$work/tree" "$folder" # it appears by a rename, so it is whole when it exists
fi
echo "$folder"
