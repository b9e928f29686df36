/* SPDX-License-Identifier: BSD-2-Clause */
/* A serial line for the program: Web Serial, and the calls of browser.h. */
"use strict";

/* Chromium has Web Serial, and waits inside WebAssembly since version 137. */
const can_capture = () => navigator.serial !== undefined && WebAssembly.Suspending !== undefined;

/* Asks for a port and opens it. Calls `note` with the number of bytes received so far. */
const open_line = async (baud, note) => {
    const port = await navigator.serial.requestPort();
    const queue = [];
    let gone = false, stopped = false, received = 0, reader;
    let wake = () => undefined;

    await port.open({baudRate: baud, bufferSize: 65536});
    const writer = port.writable.getWriter();
    /* After a framing error or a break the port has a new stream; without one it is gone. */
    const ended = (async () => {
        while (port.readable && !stopped) {
            reader = port.readable.getReader();
            try {
                for (let part = await reader.read(); !part.done; part = await reader.read()) {
                    queue.push(part.value);
                    received += part.value.length;
                    note(received);
                    wake();
                }
            } catch {
                /* the next stream, if there is one */
            } finally {
                reader.releaseLock();
            }
        }
        gone = true;
        wake();
    })();

    return {
        stopped: () => stopped,
        stop: () => {
            stopped = true;
        },
        write: (bytes) => writer.write(bytes),
        /* Returns at most `capacity` bytes: none after `ms` without any, null if the port is gone. */
        read: async (capacity, ms) => {
            if (queue.length === 0 && !gone) {
                let timer;

                await new Promise((resolve) => {
                    wake = resolve;
                    timer = setTimeout(resolve, ms);
                });
                clearTimeout(timer);
            }
            if (queue.length === 0) {
                return gone ? null : new Uint8Array(0);
            }
            const first = queue.shift();

            if (first.length > capacity) {
                queue.unshift(first.subarray(capacity));
            }
            return first.subarray(0, capacity);
        },
        close: async () => {
            stopped = true;
            await reader?.cancel().catch(() => undefined);
            await ended;
            writer.releaseLock();
            await port.close().catch(() => undefined); // it may have been unplugged
        },
    };
};

/* The calls of browser.h; without a line they fail. */
const line_calls = (line, memory) => {
    const suspending = (call) => line === undefined ? () => -1 : new WebAssembly.Suspending(call);

    return {
        stopped: () => line?.stopped() ? 1 : 0,
        read: suspending(async (at, capacity, ms) => {
            const bytes = await line.read(capacity, ms);

            if (bytes === null) {
                return -1;
            }
            new Uint8Array(memory().buffer).set(bytes, at);
            return bytes.length;
        }),
        write: suspending((at, length) =>
            line.write(new Uint8Array(memory().buffer).slice(at, at + length)).then(() => 0, () => -1)),
    };
};
