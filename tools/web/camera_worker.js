/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs in a Worker, after the library `qr`: takes pictures of tare's screen, gathers the codes in them (camera.c), and
 * answers each picture with {known, blocks, result, text, log}. `result` and `text` say what became of its code;
 * `text` is empty if it has none. `log` is null until the log is complete.
 */
"use strict";

(() => {
    const FILM = {effort: 1, timeLimit: 50}; // the next picture comes soon
    const PHOTO = {effort: 4, timeLimit: 5000};
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext("2d", {willReadFrequently: true});
    let gatherer = null;

    const pixels = (picture) => {
        canvas.width = picture.width;
        canvas.height = picture.height;
        context.drawImage(picture, 0, 0);
        picture.close();
        return context.getImageData(0, 0, canvas.width, canvas.height);
    };

    /* Returns the bytes of the code in the image, or null. The library throws if it cannot read one. */
    const code_in = (image, options) => {
        let bytes = null;
        const textDecoder = (part) => {
            bytes = part.slice();
            return "";
        };

        try {
            qr.decodeQR(image, {format: "RGBA", textDecoder, ...options});
        } catch {
            return null;
        }
        return bytes;
    };

    const memory = (at, length) => new Uint8Array(gatherer.memory.buffer, at, length);

    const text = () => {
        const from = memory(gatherer.camera_text());

        return new TextDecoder().decode(from.slice(0, from.indexOf(0)));
    };

    const take = (picture, options) => {
        const code = code_in(pixels(picture), options);
        let log = null;

        if (code !== null) {
            const at = gatherer.camera_code(code.length);

            if (at !== 0) {
                memory(at, code.length).set(code);
                log = gatherer.camera_add(code.length) ?
                    memory(gatherer.camera_log(), gatherer.camera_length()).slice() : null;
            }
        }
        return {known: gatherer.camera_known(), blocks: gatherer.camera_blocks(), log,
            result: code === null ? 0 : gatherer.camera_result(), text: code === null ? "" : text()};
    };

    /* The first message is the gatherer's code, each other one a picture. */
    onmessage = async ({data}) => {
        if (data.wasm !== undefined) {
            gatherer = (await WebAssembly.instantiate(data.wasm)).instance.exports;
            postMessage(null);
        } else {
            postMessage(take(data.picture, data.is_film ? FILM : PHOTO));
        }
    };
})();
