// SPDX-License-Identifier: BSD-2-Clause
//
// Runs in a Worker, after the library `qr`: takes pictures of tare's screen, gathers the codes in them, and answers
// each picture with {known, blocks, text, log}. `text` says what became of its code, and is empty if it has none;
// `log` is there once the log is complete.
"use strict";

(() => {
    const SHORT = {effort: 1, timeLimit: 50}; // a film's picture: the next one comes soon
    const LONG = {effort: 4, timeLimit: 5000}; // a photo or screenshot
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext("2d", {willReadFrequently: true});
    let gatherer = null;

    function pixels(picture) {
        canvas.width = picture.width;
        canvas.height = picture.height;
        context.drawImage(picture, 0, 0);
        picture.close();
        return context.getImageData(0, 0, canvas.width, canvas.height);
    }

    // Returns the bytes of the code in the image, or null. The library throws if it finds or reads none.
    function codeIn(image, options) {
        let bytes = null;
        const keep = (part) => {
            bytes = part.slice();
            return "";
        };
        try {
            qr.decodeQR(image, {format: "RGBA", textDecoder: keep, ...options});
        } catch {
            return null;
        }
        return bytes;
    }

    function bytesAt(start, length) {
        return new Uint8Array(gatherer.memory.buffer, start, length);
    }

    function textAt(start) {
        const rest = bytesAt(start, gatherer.memory.buffer.byteLength - start);
        return new TextDecoder().decode(rest.slice(0, rest.indexOf(0)));
    }

    function take(picture, options) {
        const code = codeIn(pixels(picture), options);
        if (code === null) {
            return {known: gatherer.camera_known(), blocks: gatherer.camera_blocks(), text: ""};
        }
        const at = gatherer.camera_code(code.length);
        let log = null;
        if (at !== 0) {
            bytesAt(at, code.length).set(code);
            if (gatherer.camera_add(code.length)) {
                log = bytesAt(gatherer.camera_log(), gatherer.camera_length()).slice();
            }
        }
        return {known: gatherer.camera_known(), blocks: gatherer.camera_blocks(), log,
            result: gatherer.camera_result(), text: textAt(gatherer.camera_text())};
    }

    // The first message is the gatherer's code, each other one a picture.
    onmessage = async ({data}) => {
        if (data.wasm !== undefined) {
            gatherer = (await WebAssembly.instantiate(data.wasm, {})).instance.exports;
            postMessage({});
        } else {
            postMessage(take(data.picture, data.isFilm ? SHORT : LONG));
        }
    };
})();
