/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the QR codes of tare's screen, by camera or from pictures of it; camera_worker.js does the work. When a log
 * is complete and its CRC is right, take_log() gets it.
 */
"use strict";

const screen_reader = (() => {
    const HINT_MS = 4000; // time without a code until a hint is shown
    const REPEATED = 1; // enum screen_read: a smaller result is a new code, a larger one cannot be used
    const CURES = {
        NotAllowedError: "the browser refused the camera; allow it in the browser's settings for this page",
        NotFoundError: "this device has no camera; drop screenshots or photos of the codes here",
        NotReadableError: "another program uses the camera; close that program",
    };
    const camera = element("camera");
    const video = element("video");
    const bar = element("blocks");
    let worker = null;
    let stream = null;

    let asked = Promise.resolve(); // settles with the answer to the last question

    /* Resolves to the worker's answer. A question waits for the answer to the one before it: pictures may be dropped
     * while the camera runs. */
    const ask = (question, transfer = []) => {
        const answer = asked.then(() => new Promise((resolve, reject) => {
            worker.onmessage = ({data}) => resolve(data);
            worker.onerror = (event) => reject(new Error(`the reader failed: ${event.message}`));
            worker.postMessage(question, transfer);
        }));

        asked = answer.catch(() => undefined);
        return answer;
    };

    const begin = async () => {
        worker?.terminate();
        asked = Promise.resolve();
        worker = new Worker(URL.createObjectURL(new Blob([await unpack("reader")], {type: "text/javascript"})));
        await ask({wasm: await unpack("gatherer")});
        bar.value = 0;
    };

    const stop = () => {
        stream?.getTracks().forEach((track) => track.stop());
        stream = null;
        video.hidden = true;
        camera.textContent = "Read a screen by camera";
    };

    /* Shows how far the log is. Returns whether it is complete; then it was taken. */
    const take = async (found) => {
        bar.hidden = false;
        bar.max = Math.max(found.blocks, 1);
        bar.value = found.known;
        if (found.log === null) {
            return false;
        }
        stop();
        worker.terminate();
        worker = null;
        bar.hidden = true;
        await take_log("screen.log", found.log);
        return true;
    };

    /* ---- camera ---- */

    const open = async () => {
        if (!navigator.mediaDevices?.getUserMedia) {
            throw new Error(`the browser gives no camera to a page from ${location.protocol}//; open this page from an ` +
                "https:// address, or choose photos of the codes as files");
        }
        stream = await navigator.mediaDevices.getUserMedia({audio: false,
            video: {facingMode: "environment", width: {ideal: 1920}, height: {ideal: 1080}}});
        video.srcObject = stream;
        video.hidden = false;
        camera.textContent = "Stop the camera";
        await video.play();
    };

    const next_picture = () => new Promise((shown) => {
        if (video.requestVideoFrameCallback) {
            video.requestVideoFrameCallback(shown);
        } else {
            requestAnimationFrame(shown);
        }
    });

    const film_text = (found, without_ms) => {
        if (without_ms > HINT_MS) {
            return "Camera: no code in sight; hold it so that the code fills the picture, and keep it still.";
        }
        return found.result > REPEATED ? `Camera: the code ${found.text}; stop the camera and start it again for another log.` :
            `Camera: ${found.known} of ${found.blocks || "?"} blocks`;
    };

    const film = async () => {
        const mine = stream; // another one, after a stop and a start, has its own loop
        let seen = performance.now();

        while (stream === mine) {
            await next_picture();
            if (stream !== mine) {
                return;
            }
            const picture = await createImageBitmap(video);
            const found = await ask({picture, is_film: true}, [picture]);

            if (stream !== mine || await take(found)) {
                return;
            }
            if (found.text !== "") {
                seen = performance.now();
            }
            say(film_text(found, performance.now() - seen));
        }
    };

    camera.onclick = async () => {
        if (stream !== null) {
            stop();
            return;
        }
        try {
            camera.disabled = true;
            await begin().then(open).finally(() => {
                camera.disabled = false;
            });
            await film();
        } catch (error) {
            stop();
            say(`Camera: ${CURES[error.name] ?? error.message}.`);
        }
    };

    /* ---- pictures ---- */

    /* Reads the code in a picture. Returns what was wrong with it, or null. */
    const take_picture = async (file) => {
        const picture = await createImageBitmap(file).catch(() => null);

        if (picture === null) {
            return `${file.name}: expected a picture, got what this browser cannot read; save it as PNG`;
        }
        const found = await ask({picture, is_film: false}, [picture]);

        if (await take(found)) {
            return null;
        }
        if (found.text === "") {
            return `${file.name}: no QR code found; take the screenshot again, at full size`;
        }
        return found.result > REPEATED ? `${file.name}: its code ${found.text}; drop pictures of one log` : null;
    };

    /* Reads pictures of the screen. Codes of earlier ones count until their log is complete. */
    const take_pictures = async (files) => {
        const wrong = [];

        stop();
        for (const file of files) {
            if (worker === null) {
                await begin();
            }
            wrong.push(await take_picture(file));
            if (worker === null) {
                break; // the log is complete
            }
        }
        if (worker !== null) {
            wrong.push(`${bar.value} of ${bar.max} blocks: drop pictures of more codes`);
        }
        const text = wrong.filter((one) => one !== null).join("\n");

        if (text !== "") {
            say(text);
        }
    };

    return {take_pictures};
})();
