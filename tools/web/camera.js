// SPDX-License-Identifier: BSD-2-Clause
//
// Reads the QR codes of tare's screen, by camera or from pictures; camera_worker.js does the work. When the log is
// complete and its CRC is right, take_log() gets it.
"use strict";

// screenReader(PLACE, SOURCE, WASM, TAKE): the page's element that shows the progress, the worker's script, the
// gatherer's code, and what takes the log as (NAME, BYTES). Returns {pictures}.
function screenReader(place, source, wasm, take) {
    const SECONDS_TO_HINT = 4;
    const REPEATED = 1; // enum screen_read: less is a new code, more one that cannot be used
    const button = place.querySelector("button");
    const video = place.querySelector("video");
    const bar = place.querySelector("progress");
    const status = place.querySelector("output");
    let worker = null;
    let stream = null;

    function say(text) {
        status.textContent = text;
    }

    // ask MESSAGE: resolves to the worker's answer. It answers in order; only one question is open at a time.
    function ask(message, transfer) {
        return new Promise((resolve, reject) => {
            worker.onmessage = ({data}) => resolve(data);
            worker.onerror = (event) => reject(new Error(event.message));
            worker.postMessage(message, transfer);
        });
    }

    async function begin() {
        worker?.terminate();
        const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
        worker = new Worker(address);
        await ask({wasm}, []);
        URL.revokeObjectURL(address);
        bar.value = 0;
    }

    function stop() {
        stream?.getTracks().forEach((track) => track.stop());
        stream = null;
        video.hidden = true;
        button.textContent = "Read a screen by camera";
    }

    function show(found) {
        bar.hidden = false;
        bar.max = Math.max(found.blocks, 1);
        bar.value = found.known;
    }

    async function finish(log) {
        stop();
        worker.terminate();
        worker = null;
        say(`The log is complete: ${log.length.toLocaleString("en")} bytes, CRC correct.`);
        await take("screen.log", log);
    }

    // ---- camera ----

    const CURES = {
        NotAllowedError: "the browser refused the camera: allow it in the browser's settings for this page",
        NotFoundError: "this device has no camera: take screenshots or photos elsewhere and drop them here",
        NotReadableError: "another program uses the camera: close that program",
    };

    async function open() {
        if (!navigator.mediaDevices?.getUserMedia) {
            throw new Error(`the browser gives no camera to a page from ${location.protocol}//: open this page from an ` +
                "https:// address, or take photos of the codes and drop them here");
        }
        stream = await navigator.mediaDevices.getUserMedia({audio: false,
            video: {facingMode: "environment", width: {ideal: 1920}, height: {ideal: 1080}}});
        video.srcObject = stream;
        video.hidden = false;
        await video.play();
        button.textContent = "Stop the camera";
    }

    // Resolves when the video shows another picture.
    function nextPicture() {
        return new Promise((resolve) => video.requestVideoFrameCallback?.(resolve) ?? requestAnimationFrame(resolve));
    }

    function sayFilm(found, secondsWithout) {
        if (secondsWithout > SECONDS_TO_HINT) {
            say("No code in sight: hold the camera so that the code fills the picture, and keep it still.");
        } else if (found.result > REPEATED) {
            say(`This code ${found.text}. Stop the camera and start it again to begin anew.`);
        } else {
            say(`${found.known} of ${found.blocks} blocks`);
        }
    }

    async function film() {
        let seen = performance.now();
        while (stream !== null) {
            await nextPicture();
            const picture = await createImageBitmap(video);
            const found = await ask({picture, isFilm: true}, [picture]);
            if (found.text !== "") {
                seen = performance.now();
            }
            show(found);
            sayFilm(found, (performance.now() - seen) / 1000);
            if (found.log) {
                await finish(found.log);
            }
        }
    }

    async function toggle() {
        if (stream !== null) {
            stop();
            return;
        }
        try {
            await open();
            await begin();
            await film();
        } catch (error) {
            stop();
            say(`Camera: ${CURES[error.name] ?? error.message}.`);
        }
    }

    // ---- pictures ----

    // pictures FILES: reads the code in each. Codes of earlier calls count until the log is complete.
    async function pictures(files) {
        stop();
        if (worker === null) {
            await begin();
        }
        const bad = [];
        for (const file of files) {
            const picture = await createImageBitmap(file).catch(() => null);
            const found = picture && await ask({picture, isFilm: false}, [picture]);
            if (found === null) {
                bad.push(`${file.name}: expected a picture, got what this browser cannot read`);
                continue;
            }
            if (found.log) {
                await finish(found.log);
                return;
            }
            show(found);
            if (found.text === "" || found.result > REPEATED) {
                bad.push(`${file.name}: ` + (found.text === "" ? "no code found; cut the picture to the code" :
                    `its code ${found.text}`));
            }
        }
        say([...bad, `${bar.value} of ${bar.max} blocks: take more screenshots of the codes and drop them too`]
            .join("\n"));
    }

    button.addEventListener("click", toggle);
    return {pictures};
}
