/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: takes logs, and shows what the program makes of them. Nothing leaves this page. */
"use strict";

const element = (id) => document.getElementById(id);
const say = (text) => {
    element("say").textContent = text;
};

/* Returns the bytes of an element of the page: gzip in base64. */
const unpack = async (id) => {
    const packed = Uint8Array.from(atob(element(id).textContent), (one) => one.charCodeAt(0));

    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
};
const program = unpack("program").then((bytes) => WebAssembly.compile(bytes));

/* Runs the program, which may use a serial line. Returns its exit status, its messages, and its files: "-" is its
 * output. */
const run = async (args, logs, line) => {
    const files = new Map(logs.map((log) => [log.name, log]));
    const system = wasi(args, files);
    const module = await program;
    let status = 0;

    const instance = await WebAssembly.instantiate(module, {
        wasi_snapshot_preview1: system.imports,
        page: line_calls(line, () => instance.exports.memory),
    });

    system.use(instance.exports.memory);
    try {
        await (line === undefined ? instance.exports._start : WebAssembly.promising(instance.exports._start))();
    } catch (ended) {
        if (ended.code === undefined) {
            throw ended;
        }
        status = ended.code;
    }
    const content = (name) => files.get(name).bytes.subarray(0, files.get(name).size);

    return {status, content, messages: new TextDecoder().decode(content("!")).trim()};
};

/* ---- the logs ---- */

const logs = []; // {name, bytes, size, modified, group}

/* Returns a name that no log has: "a.log", "a (2).log". One that begins with a hyphen would be an option of the
 * program, so it gets an underscore. */
const free_name = (wanted) => {
    const name = wanted.replace(/^-/, "_");
    let free = name;

    for (let i = 2; logs.some((log) => log.name === free); i++) {
        free = name.replace(/(\.[^.]*)?$/, (ending) => ` (${i})${ending}`);
    }
    return free;
};

/* A name such as before-3.log or b-3.log states its group. */
const group_of = (name) => (/(^|[-_.])(a|before)[-_.]/i.test(name) ? "a" : /(^|[-_.])(b|after)[-_.]/i.test(name) ? "b" : "");

let shown; // page that is shown, as a Blob

/* Shows a page that the program wrote. */
const show_page = (name, bytes) => {
    const frame = element("result");

    URL.revokeObjectURL(frame.src);
    shown = new Blob([bytes], {type: "text/html"});
    frame.title = name;
    frame.src = URL.createObjectURL(shown);
    frame.hidden = false;
    element("save").href = frame.src;
    element("save").download = name.replace(/(\.log)?$/, ".html");
    element("save").hidden = false;
};

const save = (name, bytes, type) => {
    const link = document.createElement("a");

    link.href = URL.createObjectURL(new Blob([bytes], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

/* Runs work(), and says what came of it: the text that it returns, or why it failed. */
const with_words = async (beginning, work) => {
    say(beginning);
    document.body.setAttribute("aria-busy", "true");
    await new Promise((painted) => setTimeout(painted));
    try {
        say(await work());
    } catch (error) {
        say(`The program failed: ${error.message}. Please report this with the log.`);
    }
    document.body.removeAttribute("aria-busy");
};

const report = (log) => with_words(`Reading ${log.name}...`, async () => {
    const result = await run(["report", "-o", "-", log.name], [log]);

    if (result.status !== 0) {
        return result.messages;
    }
    show_page(log.name, result.content("-"));
    return `${log.name}: ${log.size.toLocaleString("en")} bytes`;
});

const numbers = (log, format, type) => with_words(`Writing ${format}...`, async () => {
    const result = await run([format, log.name], [log]);

    if (result.status !== 0) {
        return result.messages;
    }
    save(log.name.replace(/\.[^.]*$/, "") + "." + format, result.content("-"), type);
    return result.messages;
});

const compare = () => with_words("Comparing...", async () => {
    const of = (group) => logs.filter((log) => log.group === group).map((log) => log.name);
    const result = await run(["compare", "--html", "compare.html", ...of("a"), "--", ...of("b")], logs);

    try {
        show_page("comparison", result.content("compare.html"));
    } catch {
        return result.messages;
    }
    return result.messages;
});

const button = (text, label, action) => {
    const made = document.createElement("button");

    made.textContent = text;
    made.ariaLabel = label;
    made.onclick = action;
    return made;
};

const list_logs = () => {
    const rows = logs.map((log) => {
        const row = document.createElement("li");
        const group = document.createElement("select");

        group.append(...[["", "no group"], ["a", "group A"], ["b", "group B"]].map(([value, text]) =>
            new Option(text, value, false, value === log.group)));
        group.ariaLabel = `Group of ${log.name}`;
        group.onchange = () => {
            log.group = group.value;
            list_logs();
        };
        row.append(button(log.name, `Report of ${log.name}`, () => report(log)), group,
            button("CSV", `Samples of ${log.name} as CSV`, () => numbers(log, "csv", "text/csv")),
            button("JSON", `${log.name} as JSON`, () => numbers(log, "json", "application/json")));
        return row;
    });

    element("logs").replaceChildren(...rows);
    element("compare").hidden = logs.length < 2;
    element("compare").disabled = !["a", "b"].every((group) => logs.some((log) => log.group === group));
};

/* Takes a log, however it came, and shows its report. `modified` is in ms since 1970. */
const take_log = async (name, bytes, modified = Date.now()) => {
    const log = {name: free_name(name), bytes, size: bytes.length, modified, group: group_of(name)};

    logs.push(log);
    list_logs();
    await report(log);
};

/* Takes logs, and pictures of a screen with codes. */
const take_files = async (files) => {
    const is_picture = (file) => file.type.startsWith("image/");
    const pictures = [...files].filter(is_picture);

    if (pictures.length > 0) {
        await screen_reader.take_pictures(pictures);
    }
    for (const file of [...files].filter((one) => !is_picture(one))) {
        await take_log(file.name, new Uint8Array(await file.arrayBuffer()), file.lastModified);
    }
};

/* Reads a serial line until the run is complete; frames that were damaged are requested again. */
const capture = () => with_words("Choose the port...", async () => {
    const line = await open_line(Number(element("baud").value), (bytes) => {
        say(`Receiving: ${bytes.toLocaleString("en")} bytes. Start the machine if it is off.`);
    });
    const name = free_name("line.log");

    element("stop").hidden = false;
    element("stop").onclick = line.stop;
    say("Waiting for the machine: start it, or let it end its run.");
    const result = await run(["capture", name], [], line).finally(() => {
        element("stop").hidden = true;
        return line.close();
    });
    const bytes = result.content(name);

    if (bytes.length > 0) {
        await take_log(name, bytes.slice());
    }
    return `${name}, ${bytes.length.toLocaleString("en")} bytes: ${result.messages.split("\n").pop()}`;
});

element("capture").onclick = capture;
element("serial").hidden = !can_capture();
element("file").onchange = (event) => {
    take_files([...event.target.files]);
    event.target.value = ""; /* so that the same file can be chosen again */
};
element("compare").onclick = compare;
addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("over");
});
addEventListener("dragleave", () => document.body.classList.remove("over"));
addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("over");
    take_files(event.dataTransfer.files);
});
