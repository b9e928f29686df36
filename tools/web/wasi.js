/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the program needs of WASI (wasi_snapshot_preview1): arguments, a clock, and files in memory. `files` maps a
 * name to {bytes, size, modified}; `modified` is in ms since 1970. Standard output is the file "-", standard error
 * the file "!".
 */
"use strict";

const wasi = (args, files) => {
    const ENOENT = 44, EBADF = 8, EEXIST = 20, ENOSYS = 52, OK = 0;
    const REGULAR = 4, DIRECTORY = 3, CREATE = 1, EXCLUSIVE = 4, TRUNCATE = 8;
    const empty = () => ({bytes: new Uint8Array(0), size: 0, modified: 0});
    const open = new Map([[0, {file: empty(), at: 0}], [1, {file: empty(), at: 0}], [2, {file: empty(), at: 0}]]);
    const text = new TextEncoder();
    const words = args.map((word) => text.encode(word + "\0"));
    let memory, next = 4;

    files.set("-", open.get(1).file);
    files.set("!", open.get(2).file);
    const view = () => new DataView(memory.buffer);
    const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
    const name = (at, length) => new TextDecoder().decode(bytes(at, length)).replace(/^(\.?\/)+/, "");
    const put = (at, value) => (view().setUint32(at, value, true), OK);
    const put64 = (at, value) => (view().setBigUint64(at, BigInt(value), true), OK);

    /* Calls move(address, length) for each buffer of a vector until one is not used whole; stores the sum. */
    const each = (vector, count, sum, move) => {
        let all = 0;

        for (let i = 0; i < count; i++) {
            const length = view().getUint32(vector + 8 * i + 4, true);
            const done = move(view().getUint32(vector + 8 * i, true), length);

            all += done;
            if (done < length) {
                break;
            }
        }
        return put(sum, all);
    };
    const read = (file, at, to, length) => {
        const part = file.bytes.subarray(at, Math.min(file.size, at + length));

        bytes(to, part.length).set(part);
        return part.length;
    };
    const write = (file, at, from, length) => {
        if (at + length > file.bytes.length) {
            const larger = new Uint8Array(Math.max(at + length, 2 * file.bytes.length, 65536));

            larger.set(file.bytes);
            file.bytes = larger;
        }
        file.bytes.set(bytes(from, length), at);
        file.size = Math.max(file.size, at + length);
        return length;
    };
    /* Calls use(entry) with an open file. */
    const of = (fd, use) => open.has(fd) ? use(open.get(fd)) : EBADF;
    const status = (at, kind, file) => {
        bytes(at, 64).fill(0);
        view().setUint8(at + 16, kind);
        put64(at + 32, file.size);
        return put64(at + 48, Math.round(file.modified) * 1000000);
    };
    const calls = {
        args_sizes_get: (count, size) => put(count, words.length) || put(size, words.flatMap((one) => [...one]).length),
        args_get: (list, at) => {
            words.forEach((word, i) => {
                put(list + 4 * i, at);
                bytes(at, word.length).set(word);
                at += word.length;
            });
            return OK;
        },
        environ_sizes_get: (count, size) => put(count, 0) || put(size, 0),
        environ_get: () => OK,
        clock_time_get: (clock, precision, at) => put64(at, Math.round(performance.now() * 1e6)),
        fd_read: (fd, vector, count, sum) => of(fd, (one) => each(vector, count, sum, (to, length) => {
            const done = read(one.file, one.at, to, length);

            one.at += done;
            return done;
        })),
        fd_write: (fd, vector, count, sum) => of(fd, (one) => each(vector, count, sum, (from, length) => {
            one.at += write(one.file, one.at, from, length);
            return length;
        })),
        fd_pread: (fd, vector, count, at, sum) => of(fd, (one) => each(vector, count, sum, (to, length) => {
            const done = read(one.file, Number(at), to, length);

            at += BigInt(done);
            return done;
        })),
        fd_pwrite: (fd, vector, count, at, sum) => of(fd, (one) => each(vector, count, sum, (from, length) => {
            at += BigInt(write(one.file, Number(at), from, length));
            return length;
        })),
        fd_seek: (fd, by, from, result) => of(fd, (one) => {
            one.at = Number(by) + [0, one.at, one.file.size][from];
            return put64(result, one.at);
        }),
        fd_sync: () => OK,
        fd_close: (fd) => open.delete(fd) ? OK : EBADF,
        fd_fdstat_get: (fd, at) => {
            bytes(at, 24).fill(0);
            view().setUint8(at, fd === 3 ? DIRECTORY : REGULAR);
            bytes(at + 8, 16).fill(255); // all rights
            return fd === 3 || open.has(fd) ? OK : EBADF;
        },
        fd_filestat_get: (fd, at) => of(fd, (one) => status(at, REGULAR, one.file)),
        fd_prestat_get: (fd, at) => fd === 3 ? put(at, 0) || put(at + 4, 1) : EBADF,
        fd_prestat_dir_name: (fd, at) => (bytes(at, 1)[0] = 47, OK), // "/"
        path_filestat_get: (fd, flags, at, length, result) => {
            const file = files.get(name(at, length));

            return file === undefined ? ENOENT : status(result, REGULAR, file);
        },
        path_open: (fd, follow, at, length, how, rights, inherited, flags, result) => {
            const path = name(at, length);

            if (files.has(path) && (how & EXCLUSIVE)) {
                return EEXIST;
            }
            if (!files.has(path) && !(how & CREATE)) {
                return ENOENT;
            }
            if (!files.has(path) || (how & TRUNCATE)) {
                files.set(path, empty());
            }
            open.set(next, {file: files.get(path), at: 0});
            return put(result, next++);
        },
        path_unlink_file: (fd, at, length) => files.delete(name(at, length)) ? OK : ENOENT,
        proc_exit: (code) => {
            throw {code};
        },
    };

    return {
        imports: new Proxy(calls, {get: (all, call) => all[call] ?? (() => ENOSYS)}),
        use: (exported) => {
            memory = exported;
        },
    };
};
