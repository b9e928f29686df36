// SPDX-License-Identifier: BSD-2-Clause
//
// Draws the figures of a page (tools/figure/page.c). The page holds their data as JSON, in one
// element <script class="figure"> each, which <noscript> follows with what is shown without script:
// the cells of a table, or a picture. For figures with an x and a y, uPlot draws the axes and
// handles the zoom; the points are drawn here, because only their extremes in each column of pixels
// are needed.
//
// A page with tabs has a panel for each (page.c). A panel has its figures by section; those of one
// bench form a group that can be closed. A tab opens with as many groups as fit into six screens.
"use strict";

(() => {
    const root = document.documentElement;
    const COLOURS = 8; // --series-0 to --series-7 in report.css
    const HANDLE = 14; // width of a threshold's handle in pixels
    const views = new Map();
    let printing = false;

    // ---- numbers ----

    function bytesOf(base64) {
        const text = atob(base64);
        const bytes = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++) {
            bytes[i] = text.charCodeAt(i);
        }
        return bytes;
    }

    // Decodes differences of up to 2^53, which are too long for bit operators.
    function differences(bytes, n, step) {
        const values = new Float64Array(n);
        let at = 0;
        let sum = 0;
        for (let i = 0; i < n; i++) {
            let zigzag = 0;
            let weight = 1;
            let byte;
            do {
                byte = bytes[at++];
                zigzag += (byte & 0x7f) * weight;
                weight *= 128;
            } while (byte & 0x80);
            sum += zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
            values[i] = sum * step;
        }
        return values;
    }

    // Decodes an array of numbers as page_figure.h describes.
    function numbers(text, n) {
        const colon = text.indexOf(":");
        const bytes = bytesOf(text.slice(colon + 1));
        switch (text[0]) {
        case "f":
            return Float64Array.from(new Float32Array(bytes.buffer));
        case "d":
            return new Float64Array(bytes.buffer);
        default:
            return differences(bytes, n, text[0] === "q" ? Number(text.slice(1, colon)) : 1);
        }
    }

    function decodeSeries(series) {
        for (const key of ["x", "y", "low", "high"]) {
            series[key] = series[key] === undefined ? null : numbers(series[key], series.n);
        }
        series.sorted = series.x.every((x, i) => i === 0 || x >= series.x[i - 1]);
        series.shown = !series.aside;
        return series;
    }

    // Returns the first index whose item, or its key, is not below `x`.
    function lowerBound(list, x, key = (item) => item) {
        let low = 0;
        let high = list.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (key(list[middle]) < x) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    function plain(value, digits) {
        const text = value.toPrecision(digits);
        return text.includes("e") ? String(Number(text)) : text.replace(/(\.\d*?)0+$/, "$1")
            .replace(/\.$/, "");
    }

    // Returns a whole number of up to 15 digits as "1,234,567", any other with 7 significant
    // digits.
    function valueText(value, unit) {
        if (!Number.isFinite(value)) {
            return "-";
        }
        const whole = Number.isInteger(value) && Math.abs(value) < 1e15;
        const text = whole ? value.toLocaleString("en") : plain(value, 7);
        if (unit === "bytes" && whole && value >= 1024 && value % 1024 === 0) {
            return tickText(value, unit);
        }
        return unit ? text + " " + unit : text;
    }

    function roughText(value, unit) {
        if (!Number.isFinite(value)) {
            return "-";
        }
        const round = Number(value.toPrecision(4));
        const text = Math.abs(round) >= 1 && Math.abs(round) < 1e15 ? round.toLocaleString("en",
            {maximumSignificantDigits: 4}) : plain(value, 4);
        return unit ? text + " " + unit : text;
    }

    const TIMES = {s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9};

    // Returns a time in the unit that reads best.
    function timeText(value, unit) {
        const seconds = value * TIMES[unit];
        if (!Number.isFinite(seconds) || seconds === 0) {
            return roughText(value, unit);
        }
        const best = Object.keys(TIMES).find((name) => seconds >= TIMES[name] * 0.9995) || "ns";
        return roughText(seconds / TIMES[best], best);
    }

    const BINARY = ["", "Ki", "Mi", "Gi", "Ti"];
    const DECIMAL = ["", "k", "M", "G", "T", "P"];

    function tickText(value, unit) {
        const size = Math.abs(value);
        if (unit === "bytes") {
            const power = size < 1 ? 0 : Math.min(Math.floor(Math.log2(size) / 10), 4);
            return plain(value / 1024 ** power, 4) + " " + BINARY[power] + "B";
        }
        if (size >= 1e4 && size < 1e18) {
            const power = Math.floor(Math.log10(size) / 3 + 1e-9);
            return plain(value / 1000 ** power, 4) + DECIMAL[power];
        }
        return size !== 0 && size < 1e-3 ? value.toExponential(0) : plain(value, 6);
    }

    // Returns a number with three significant digits.
    function shortText(value) {
        return Number.isFinite(value) ? tickText(Number(value.toPrecision(3))) : "-";
    }

    function axisLabel(axis) {
        if (!axis.label) {
            return axis.unit || "";
        }
        return axis.unit && axis.unit !== "bytes" ? `${axis.label} [${axis.unit}]` : axis.label;
    }

    // Returns about `count` round values from min to max.
    function niceTicks(min, max, count) {
        const rough = (max - min) / Math.max(count, 1);
        const power = 10 ** Math.floor(Math.log10(rough));
        const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
        const ticks = [];
        for (let i = Math.ceil(min / step - 1e-9); i * step <= max + step * 1e-9; i++) {
            ticks.push(Number((i * step).toPrecision(12)));
        }
        return ticks;
    }

    function logTicks(min, max, base) {
        const first = Math.ceil(Math.log(min) / Math.log(base) - 1e-9);
        const last = Math.floor(Math.log(max) / Math.log(base) + 1e-9);
        const ticks = [];
        const between = base === 10 && last - first < 3 ? [1, 2, 5] : [1];
        for (let i = first - 1; i <= last; i++) {
            for (const factor of between) {
                const tick = Number((factor * base ** i).toPrecision(12));
                if (tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9)) {
                    ticks.push(tick);
                }
            }
        }
        return ticks.length > 1 ? ticks : niceTicks(min, max, 5).filter((tick) => tick > 0);
    }

    // ---- elements ----

    function make(tag, properties, ...children) {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(properties || {})) {
            if (name in element && name !== "role") {
                element[name] = value;
            } else {
                element.setAttribute(name, value);
            }
        }
        element.append(...children);
        return element;
    }

    const palette = new Map(); // colours of the theme by name

    function colour(name) {
        if (!palette.has(name)) {
            const value = getComputedStyle(root).getPropertyValue("--" + name).trim();
            const pair = /^light-dark\((.*), (.*)\)$/.exec(value);
            palette.set(name, pair === null ? value : pair[isDark() ? 2 : 1]);
        }
        return palette.get(name);
    }

    // Shapes within -1.2 to 1.2 that mark curves, one more than there are colours: a curve is known
    // by its shape alone.
    const SHAPES = ["M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0", "M-.9-.9h1.8v1.8h-1.8z", "M0-1.1L1 .8H-1z",
        "M0-1.2L1.1 0 0 1.2-1.1 0z", "M0 1.1L1-.8H-1z", "M-.4-1.1h.8v.7h.7v.8h-.7v.7h-.8v-.7h-.7v-.8h.7z",
        "M0-.5L.6-1.1 1.1-.6.5 0 1.1.6.6 1.1 0 .5-.6 1.1-1.1.6-.5 0-1.1-.6-.6-1.1z",
        "M-1-1.1H1L-1 1.1H1z", "M-1.2-.4h2.4v.8h-2.4z"];

    // Returns the mark of a series in a legend: that of a curve is its shape, a reference is a thin
    // dashed line.
    function markOf(index, series, kind) {
        if (series?.reference) {
            return `repeating-linear-gradient(90deg, ${colour("text")} 0 4px, transparent 4px 6px) ` +
                "center / 100% 2px no-repeat";
        }
        return !["lines", "steps", "points"].includes(kind) ? seriesColour(index)
            : `url("data:image/svg+xml,${encodeURIComponent("<svg xmlns='http://www.w3.org/2000/svg' " +
                `viewBox='-1.2 -1.2 2.4 2.4' fill='${seriesColour(index)}'><path d='${shapeOf(index)}'/>` +
                "</svg>")}")`;
    }

    function shapeOf(index) {
        return SHAPES[index % SHAPES.length];
    }

    function seriesColour(index) {
        return colour("series-" + index % COLOURS);
    }

    // Returns the colour of a state; states in which nothing happens are grey.
    function stateColour(figure, state) {
        if (/^(idle|none|asleep|not there|-)( [\d.e+-]+ %)?$/i.test(figure.states[state])) {
            return colour("quiet");
        }
        if (/^(waiting|blocked)$/i.test(figure.states[state])) {
            return colour("rest");
        }
        return seriesColour(state);
    }

    // Returns the context of a canvas that is as wide as its box, in CSS pixels.
    function prepare(canvas, width, height) {
        const ratio = window.devicePixelRatio || 1;
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.height = height + "px";
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        context.font = "12px " + colour("font");
        context.textBaseline = "middle";
        return context;
    }

    // Returns the text, cut with an ellipsis if it is too wide.
    function fitText(context, text, width) {
        if (context.measureText(text).width <= width) {
            return text;
        }
        let length = text.length;
        while (length > 1 && context.measureText(text.slice(0, length) + "…").width > width) {
            length--;
        }
        return text.slice(0, length) + "…";
    }

    class Tooltip {
        constructor(box) {
            this.box = box;
            this.element = box.appendChild(make("div", {className: "tip", hidden: true}));
        }

        // Shows `lines`, each [colour or null, text], at x and y within the box.
        show(x, y, lines) {
            this.element.replaceChildren(...lines.map(([mark, text]) => {
                const line = make("div", {}, text);
                if (mark) {
                    const key = make("i");
                    key.style.background = mark;
                    line.prepend(key);
                }
                return line;
            }));
            this.element.hidden = lines.length === 0;
            const width = this.element.offsetWidth;
            const left = x + 16 + width > this.box.clientWidth ? x - 16 - width : x + 16;
            this.element.style.left = Math.max(left, 0) + "px";
            this.element.style.top = Math.max(y - this.element.offsetHeight - 8, 0) + "px";
        }

        hide() {
            this.element.hidden = true;
        }
    }

    // Makes a legend: buttons that show and hide what they name.
    function legend(names, colourOf, onToggle, isShown = () => true) {
        const list = make("div", {className: "legend"});
        names.forEach((name, index) => {
            const key = make("i");
            const button = make("button", {type: "button"}, key, name);
            key.style.background = colourOf(index);
            button.setAttribute("aria-pressed", String(isShown(index)));
            button.addEventListener("click", () => {
                const shown = button.getAttribute("aria-pressed") !== "true";
                button.setAttribute("aria-pressed", String(shown));
                onToggle(index, shown);
            });
            list.append(button);
        });
        list.recolour = () => list.querySelectorAll("i").forEach((key, index) => {
            key.style.background = colourOf(index);
        });
        return list;
    }

    // Adds a legend of the series below a view that has several.
    function addSeriesLegend(view, onToggle) {
        if (view.series.length < 2) {
            return;
        }
        view.legend = legend(view.series.map((series) => series.name),
            (index) => markOf(index, view.series[index], view.figure.kind), (index, shown) => {
                view.series[index].shown = shown;
                onToggle();
            }, (index) => view.series[index].shown);
        view.box.append(view.legend);
    }

    // Lets Ctrl with the wheel and two fingers zoom, and one finger move. `target.zoom(from, to)`
    // gets the new range as fractions of the visible one.
    function addGestures(element, target) {
        const fingers = new Map();
        const place = (event) => {
            const box = element.getBoundingClientRect();
            return (event.clientX - box.left) / box.width;
        };
        element.addEventListener("wheel", (event) => {
            if (!event.ctrlKey && !event.metaKey) {
                return; // without Ctrl the wheel scrolls the page
            }
            event.preventDefault();
            const at = place(event);
            const factor = Math.exp(event.deltaY / 400);
            target.zoom(at - at * factor, at + (1 - at) * factor);
        }, {passive: false});
        element.addEventListener("pointerdown", (event) => {
            if (event.pointerType === "touch") {
                fingers.set(event.pointerId, place(event));
            }
        });
        element.addEventListener("pointermove", (event) => {
            if (!fingers.has(event.pointerId)) {
                return;
            }
            const before = [...fingers.values()].sort((a, b) => a - b);
            fingers.set(event.pointerId, place(event));
            const after = [...fingers.values()].sort((a, b) => a - b);
            if (after.length === 1) {
                target.zoom(before[0] - after[0], 1 + before[0] - after[0]);
            } else if (after[1] - after[0] > 0.02) {
                const factor = (before[1] - before[0]) / (after[1] - after[0]);
                target.zoom(before[0] - after[0] * factor, before[0] + (1 - after[0]) * factor);
            }
        });
        for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
            element.addEventListener(name, (event) => fingers.delete(event.pointerId));
        }
    }

    // ---- lines, steps, sticks, points, histograms ----

    // Returns a linear or logarithmic function from values to pixels of the canvas.
    function mapping(scale, logarithmic, from, length) {
        const take = logarithmic ? Math.log10 : (value) => value;
        const first = take(scale.min);
        const factor = length / (take(scale.max) - first);
        return (value) => from + (take(value) - first) * factor;
    }

    function reversed(map, from, length) {
        return (value) => 2 * from + length - map(value);
    }

    const WINDOWS_MAX = 100000;

    // Averages a value that holds from each x to the next over windows of one length. Returns
    // steps.
    function averagedSteps({x, y, n}, length) {
        const begin = x[0];
        const count = Math.ceil((x[n - 1] - begin) / length);
        const edge = (window) => Math.min(begin + window * length, x[n - 1]);
        const sums = new Float64Array(count + 1);
        for (let i = 0, window = 0; i + 1 < n; i++) {
            for (let from = x[i]; from < x[i + 1];) {
                while (window + 1 < count && edge(window + 1) <= from) {
                    window++;
                }
                const to = window + 1 < count ? Math.min(x[i + 1], edge(window + 1)) : x[i + 1];
                sums[window] += y[i] * (to - from);
                from = to;
            }
        }
        const means = sums.map((sum, window) => sum / (edge(window + 1) - edge(window)));
        means[count] = means[count - 1];
        return {x: means.map((_, window) => edge(window)), y: means, n: count + 1};
    }

    class Plot {
        constructor(figure, box) {
            this.figure = figure;
            this.box = box;
            this.series = figure.series.map(decodeSeries);
            this.full = this.fullRange();
            this.range = this.full.slice();
            this.box.append(...this.notes());
            if (this.full[0] === Infinity) {
                box.append(make("p", {className: "absent"}, "no value that the axes can show"));
                return;
            }
            if (axisLabel(figure.y)) {
                // A low plot has no room for it.
                box.append(make("p", {className: "y-label"}, axisLabel(figure.y)));
            }
            this.plotBox = box.appendChild(make("div", {className: "plot"}));
            this.tip = new Tooltip(this.plotBox);
            this.createPlot();
            this.addLegend();
            this.addAveraging();
            if (figure.threshold !== undefined && figure.threshold !== null) {
                this.addThreshold();
            }
        }

        notes() {
            const total = this.series.reduce((sum, series) => sum + series.total, 0);
            const held = this.series.reduce((sum, series) => sum + series.n, 0);
            return held >= total ? [] : [make("p", {className: "note"},
                `the page holds ${valueText(held)} of ${valueText(total)} points: the first, ` +
                "min, max and last of each part")];
        }

        // Returns the range of all x that the axis can show, with a margin.
        fullRange() {
            const {logarithmic, least, greatest} = this.figure.x;
            const threshold = this.figure.kind === "histogram" ? this.figure.threshold : null;
            let min = least ?? threshold ?? Infinity;
            let max = greatest ?? threshold ?? -Infinity;
            for (const series of this.series) {
                const bins = this.figure.kind === "histogram" && series.low !== null;
                for (let i = 0; i < series.n; i++) {
                    const low = bins ? series.low[i] : series.x[i];
                    const high = bins ? series.high[i] : series.x[i];
                    if (Number.isFinite(low) && (!logarithmic || low > 0) && low < min) {
                        min = low;
                    }
                    if (Number.isFinite(high) && (!logarithmic || high > 0) && high > max) {
                        max = high;
                    }
                }
            }
            min = Math.min(min, max > 0 || !logarithmic ? max : Infinity);
            if (min === max || max === -Infinity) {
                return max === -Infinity ? [Infinity, Infinity]
                    : logarithmic ? [min / 2, max * 2] : [min - 0.5, max + 0.5];
            }
            const margin = logarithmic ? (max / min) ** 0.01 : (max - min) * 0.01;
            return logarithmic ? [min / margin, max * margin] : [min - margin, max + margin];
        }

        // Returns the indexes of the points from one x to another, with a neighbour on each side.
        visible(series, from, to) {
            if (!series.sorted) {
                return [0, series.n];
            }
            return [Math.max(lowerBound(series.x, from) - 1, 0),
                Math.min(lowerBound(series.x, to) + 1, series.n)];
        }

        yRange() {
            const {kind, y} = this.figure;
            const threshold = kind === "histogram" ? null : this.figure.threshold;
            let min = y.least ?? threshold ?? Infinity;
            let max = Math.max(y.greatest ?? -Infinity, threshold ?? -Infinity);
            for (const series of this.series.filter((one) => one.shown)) {
                const [first, end] = this.visible(series, this.range[0], this.range[1]);
                const ranged = kind !== "histogram" && series.low !== null;
                for (let i = first; i < end; i++) {
                    const low = ranged && series.low[i] > -Infinity ? series.low[i] : series.y[i];
                    const high = ranged && series.high[i] < Infinity ? series.high[i] : series.y[i];
                    if (low < min && (!y.logarithmic || low > 0)) {
                        min = low;
                    }
                    if (high > max && high < Infinity) {
                        max = high;
                    }
                }
            }
            if (!(max >= min)) {
                return y.logarithmic ? [1, 10] : [0, 1];
            }
            return y.logarithmic ? this.logRange(min, max) : this.linearRange(min, max);
        }

        logRange(min, max) {
            const bars = this.figure.kind === "histogram" || this.figure.kind === "sticks";
            return [bars ? min / 2 : min / 1.3, Math.max(max, min * 2) * 1.3];
        }

        // Returns a range that begins at 0, unless the values are far from 0 and close to each
        // other.
        linearRange(min, max) {
            const bars = ["histogram", "sticks", "steps"].includes(this.figure.kind);
            const near = this.figure.kind === "points" ? 0.2 : 0.05;
            if (bars || max - min > near * max || min < 0) {
                min = Math.min(min, 0);
                max = Math.max(max, 0);
            }
            if (this.figure.y.unit === "%" && max > 50 && max <= 100.5) {
                return [min, 102];
            }
            const margin = (max - min || Math.abs(max) || 1) * 0.05;
            return [min === 0 ? 0 : min - margin, max === 0 ? 0 + (min === 0 ? 1 : 0) : max + margin];
        }

        axis(key) {
            const axis = this.figure[key];
            const options = {
                scale: key,
                stroke: () => colour("text"),
                font: "12px " + colour("font"),
                grid: {stroke: () => colour("grid"), width: 1},
                ticks: {stroke: () => colour("grid"), width: 1, size: 5},
                values: (plot, splits) => this.tickTexts(splits, axis),
            };
            if (axis.logarithmic) {
                options.splits = (plot) => this.logSplits(plot.scales[key], axis, key);
                options.filter = (plot, splits) => splits;
            }
            if (key === "x") {
                options.space = 70;
                if (this.series.every((series) => series.x.every(Number.isInteger))) {
                    options.incrs = [1, 2, 5].flatMap((m) => [...Array(15).keys()].map((power) =>
                        m * 10 ** power)).sort((a, b) => a - b);
                }
                options.size = 30;
                options.label = axisLabel(axis);
                options.labelSize = axisLabel(axis) ? 20 : 0;
                options.labelGap = 0;
                options.labelFont = "12px " + colour("font");
            } else {
                options.size = (plot, texts, index, cycle) => this.axisSize(plot, texts, index,
                    cycle);
            }
            return options;
        }

        // Returns the texts of ticks; with more digits if neighbours would otherwise be equal.
        tickTexts(splits, axis) {
            const texts = splits.map((value) => value === null ? "" : tickText(value, axis.unit));
            const same = texts.some((text, i) => i > 0 && text === texts[i - 1] && text !== "");
            return same ? splits.map((value) => value === null ? "" : plain(value, 10)) : texts;
        }

        // Returns as many logarithmic ticks as fit.
        logSplits(scale, axis, key) {
            const ticks = logTicks(scale.min, scale.max, axis.unit === "bytes" ? 2 : 10);
            const room = key === "x" ? (this.plotBox.clientWidth - 60) / 62 : 8;
            const every = Math.max(Math.ceil(ticks.length / room), 1);
            return ticks.filter((tick, i) => i % every === 0);
        }

        axisSize(plot, texts, index, cycle) {
            const axis = plot.axes[index];
            if (cycle > 1) {
                return axis._size;
            }
            plot.ctx.font = axis.font[0];
            const widest = (texts || []).reduce((most, text) => Math.max(most,
                plot.ctx.measureText(text).width / (window.devicePixelRatio || 1)), 0);
            return Math.ceil(axis.ticks.size + axis.gap + widest) + 2;
        }

        height() {
            const inOrder = this.box.closest(".in-order");
            return printing ? inOrder ? 124 : 150 : inOrder ? 200 : this.plotBox.clientWidth < 480 ? 240 : 300;
        }

        createPlot() {
            const {x, y} = this.figure;
            this.plot = new uPlot({
                width: this.plotBox.clientWidth,
                height: this.height(),
                padding: [8, 26, 0, 0],
                legend: {show: false},
                cursor: {points: {show: false}, drag: {x: true, y: false, dist: 4}},
                scales: {
                    x: {time: false, distr: x.logarithmic ? 3 : 1, log: 10,
                        range: (plot, min, max) => this.setRange(min, max)},
                    y: {distr: y.logarithmic ? 3 : 1, log: 10, range: () => this.yRange()},
                },
                axes: [this.axis("x"), this.axis("y")],
                series: [{}, {scale: "y", paths: () => null, points: {show: false}}],
                hooks: {
                    draw: [() => this.drawSeries()],
                    setCursor: [() => this.showValues()],
                },
            }, [this.full, [null, null]], this.plotBox);
            this.plot.over.addEventListener("mouseleave", () => this.tip.hide());
            addGestures(this.plot.over, this);
        }

        // Sets the range of x. uPlot asks for the range of y directly afterwards.
        setRange(min, max) {
            if (min === null || !(max > min)) {
                return this.range;
            }
            this.range = [Math.max(min, this.full[0]), Math.min(max, this.full[1])];
            if (!(this.range[1] > this.range[0])) {
                this.range = this.full.slice();
            }
            return this.range;
        }

        zoom(from, to) {
            const [min, max] = this.range;
            const logarithmic = this.figure.x.logarithmic;
            const at = (part) => logarithmic ? min * (max / min) ** part : min + (max - min) * part;
            const lowest = Math.max(at(from), this.full[0]);
            const highest = Math.min(at(to), this.full[1]);
            if (highest - lowest > (this.full[1] - this.full[0]) * 1e-9) {
                this.plot.setScale("x", {min: lowest, max: highest});
            }
        }

        drawSeries() {
            const {ctx, bbox, scales} = this.plot;
            const begun = performance.now();
            this.mapX = mapping(scales.x, this.figure.x.logarithmic, bbox.left, bbox.width);
            this.mapY = reversed(mapping(scales.y, this.figure.y.logarithmic, bbox.top,
                bbox.height), bbox.top, bbox.height);
            this.named = [];
            ctx.save();
            ctx.beginPath();
            ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
            ctx.clip();
            this.series.forEach((series, index) => {
                if (series.shown && series.reference) {
                    this.drawReference(ctx, series);
                } else if (series.shown && series.n > 0) {
                    ctx.strokeStyle = seriesColour(index);
                    ctx.fillStyle = seriesColour(index);
                    ctx.lineWidth = Math.round(1.5 * (window.devicePixelRatio || 1));
                    ctx.setLineDash([]);
                    this.drawOne(ctx, series, index);
                }
            });
            ctx.restore();
            this.drawMs = performance.now() - begun;
            this.placeThreshold();
        }

        // Draws a reference as a line through all its points, with its name above its end.
        drawReference(ctx, series) {
            const {bbox} = this.plot;
            const ratio = window.devicePixelRatio || 1;
            let end = null;
            let open = false;
            ctx.strokeStyle = colour("text");
            ctx.lineWidth = Math.round(1.2 * ratio);
            ctx.setLineDash([6 * ratio, 4 * ratio]);
            ctx.beginPath();
            for (let i = 0; i < series.n; i++) {
                const x = this.mapX(series.x[i]);
                const y = this.mapY(series.y[i]);
                if (Number.isFinite(x) && Number.isFinite(y)) {
                    ctx[open ? "lineTo" : "moveTo"](x, y);
                    end = x <= bbox.left + bbox.width || end === null ? [x, y] : end;
                    open = true;
                } else {
                    open = false;
                }
            }
            ctx.stroke();
            if (end !== null) {
                this.nameReference(ctx, series.name, end, ratio);
            }
        }

        nameReference(ctx, name, [x, y], ratio) {
            const {bbox} = this.plot;
            const right = bbox.left + bbox.width - 4 * ratio;
            const left = bbox.left + 4 * ratio;
            ctx.font = `${12 * ratio}px ${colour("font")}`;
            ctx.textAlign = "right";
            ctx.textBaseline = "bottom";
            ctx.fillStyle = colour("text");
            ctx.strokeStyle = colour("ground");
            ctx.lineWidth = 3 * ratio;
            ctx.setLineDash([]);
            const at = [Math.max(Math.min(x - 3 * ratio, right), left + ctx.measureText(name).width),
                Math.min(Math.max(y - 2 * ratio, bbox.top + 15 * ratio), bbox.top + bbox.height)];
            const row = 14 * ratio;
            while (this.named.some(([, taken]) => Math.abs(taken - at[1]) < row) &&
                at[1] - row > bbox.top + row) {
                at[1] -= row; // moves it above another name
            }
            this.named.push(at);
            ctx.strokeText(name, ...at);
            ctx.fillText(name, ...at);
        }

        drawOne(ctx, series, index) {
            const [first, end] = this.visible(series, this.range[0], this.range[1]);
            switch (this.figure.kind) {
            case "sticks":
                this.drawSticks(ctx, series, first, end);
                break;
            case "points":
                this.drawPoints(ctx, series, first, end, index);
                break;
            case "histogram":
                this.drawBins(ctx, series, first, end);
                break;
            default:
                this.drawLine(ctx, series, first, end, this.figure.kind === "steps");
                this.drawMarks(ctx, series, first, end, index);
            }
        }

        base() {
            const {bbox, scales} = this.plot;
            return this.figure.y.logarithmic || scales.y.min > 0 ? bbox.top + bbox.height
                : this.mapY(0);
        }

        // Draws the first, least, greatest and last point of each column of pixels. A point that
        // the axes cannot show leaves a gap.
        drawLine(ctx, series, first, end, steps) {
            const ranges = series.low !== null;
            if (ranges) {
                this.drawDeviations(ctx, series, first, end);
            }
            ctx.beginPath();
            ctx.lineCap = "round"; // a point between two gaps is a dot
            let open = false;
            let last = 0;
            const to = (x, y) => {
                if (!open) {
                    ctx.moveTo(x, y);
                } else if (steps) {
                    ctx.lineTo(x, last);
                }
                ctx.lineTo(x, y);
                open = true;
                last = y;
            };
            for (let i = first; i < end;) {
                const x = this.mapX(series.x[i]);
                const y = this.mapY(series.y[i]);
                const column = Math.floor(x);
                if (!Number.isFinite(x) || !Number.isFinite(y)) {
                    if (steps && open && Number.isFinite(x)) {
                        ctx.lineTo(x, last);
                    }
                    open = false;
                    i++;
                    continue;
                }
                let least = y;
                let greatest = y;
                let final = y;
                for (i++; i < end && series.sorted; i++) {
                    const next = this.mapY(series.y[i]);
                    if (Math.floor(this.mapX(series.x[i])) !== column || !Number.isFinite(next)) {
                        break;
                    }
                    least = Math.max(least, next);
                    greatest = Math.min(greatest, next);
                    final = next;
                }
                to(x, y);
                if (least !== greatest) {
                    to(x, least);
                    to(x, greatest);
                    to(x, final);
                }
            }
            ctx.stroke();
        }

        // Marks the points of a line, or six places of a curve that has too many, each curve at
        // other places. The only curve of a figure needs no marks to be known.
        drawMarks(ctx, series, first, end, index) {
            const {bbox} = this.plot;
            const steps = this.figure.kind === "steps";
            if (!steps && end - first < bbox.width / 12) {
                this.drawDots(ctx, series, first, end, index);
            } else if (series.sorted && this.series.filter((one) => !one.reference).length > 1) {
                for (let i = (index + 1) / (this.series.length + 1); i < 6; i++) {
                    const place = this.plot.posToVal(i / 6 * this.plot.over.clientWidth, "x");
                    const at = lowerBound(series.x, place) - 1;
                    if (at >= first && at < end - 1) {
                        this.drawMark(ctx, this.mapX(steps ? place : series.x[at]),
                            this.mapY(series.y[at]), index);
                    }
                }
            }
        }

        drawDots(ctx, series, first, end, index) {
            for (let i = first; i < end; i++) {
                this.drawMark(ctx, this.mapX(series.x[i]), this.mapY(series.y[i]), index);
            }
        }

        drawMark(ctx, x, y, index) {
            const size = (this.series.length > 1 ? 3.6 : 2.6) * (window.devicePixelRatio || 1);
            if (Number.isFinite(x) && Number.isFinite(y)) {
                ctx.save();
                ctx.translate(x, y);
                ctx.scale(size, size);
                ctx.fill(new Path2D(shapeOf(index)));
                ctx.restore();
            }
        }

        drawDeviations(ctx, series, first, end) {
            const every = Math.max(Math.ceil((end - first) / this.plot.bbox.width), 1);
            ctx.save();
            ctx.globalAlpha = 0.6;
            ctx.lineWidth = window.devicePixelRatio || 1;
            ctx.setLineDash([]);
            ctx.beginPath();
            for (let i = first; i < end; i += every) {
                const x = Math.round(this.mapX(series.x[i])) + 0.5;
                const low = this.mapY(series.low[i]);
                const high = this.mapY(series.high[i]);
                if (Number.isFinite(high)) {
                    ctx.moveTo(x, Number.isFinite(low) ? low : this.base());
                    ctx.lineTo(x, high);
                }
            }
            ctx.stroke();
            ctx.restore();
        }

        drawSticks(ctx, series, first, end) {
            const base = this.base();
            const width = Math.max(Math.round(window.devicePixelRatio || 1),
                end - first < this.plot.bbox.width / 8 ? 2 : 1);
            const columns = new Map();
            for (let i = first; i < end; i++) {
                const column = Math.floor(this.mapX(series.x[i]));
                const y = this.mapY(series.y[i]);
                const extremes = columns.get(column);
                if (!Number.isFinite(y)) {
                    continue;
                }
                if (extremes === undefined) {
                    columns.set(column, [Math.min(y, base), Math.max(y, base)]);
                } else {
                    extremes[0] = Math.min(extremes[0], y);
                    extremes[1] = Math.max(extremes[1], y);
                }
            }
            for (const [column, [top, bottom]] of columns) {
                ctx.fillRect(column, top, width, Math.max(bottom - top, 1));
            }
            if (series.low !== null) {
                this.drawDeviations(ctx, series, first, end);
            }
        }

        // Draws scattered points, each pixel at most once.
        drawPoints(ctx, series, first, end, index) {
            const {bbox} = this.plot;
            const ratio = window.devicePixelRatio || 1;
            if (series.low !== null) {
                this.drawDeviations(ctx, series, first, end);
            }
            if (end - first < 200) {
                this.drawDots(ctx, series, first, end, index);
                return;
            }
            const size = Math.round((end - first > 5000 ? 2 : 3) * ratio);
            const taken = new Uint8Array(Math.ceil(bbox.width + 1) * Math.ceil(bbox.height + 1));
            for (let i = first; i < end; i++) {
                const x = Math.round(this.mapX(series.x[i]) - bbox.left);
                const y = Math.round(this.mapY(series.y[i]) - bbox.top);
                const place = y * Math.ceil(bbox.width + 1) + x;
                if (x >= 0 && y >= 0 && x <= bbox.width && y <= bbox.height && !taken[place]) {
                    taken[place] = 1;
                    ctx.fillRect(bbox.left + x - (size >> 1), bbox.top + y - (size >> 1), size,
                        size);
                }
            }
        }

        // Draws bins. Series with the same bins share their width, if there is room for all of them.
        drawBins(ctx, series, first, end) {
            const {bbox} = this.plot;
            const base = this.base();
            const shown = this.series.filter((one) => one.shown && !one.reference &&
                one.n > 0 && one.low[0] === series.low[0]);
            for (let i = Math.max(first - 1, 0); i < Math.min(end + 1, series.n); i++) {
                const left = Math.max(this.mapX(series.low[i]) || bbox.left, bbox.left);
                const right = Math.min(this.mapX(series.high[i]), bbox.left + bbox.width);
                const y = this.mapY(series.y[i]);
                if (!Number.isFinite(y) || !(right >= left) || series.y[i] === 0) {
                    continue;
                }
                // a bin of less than a pixel for each series reaches into the next one
                const wide = Math.max((right - left) / shown.length, shown.length > 1 ? 1 : 2);
                const from = left + shown.indexOf(series) * wide;
                ctx.fillRect(from, y, wide - (wide > 5 ? 1 : 0), base - y);
            }
        }

        // ---- values under the cursor ----

        // Returns the point nearest to a place; if several lie within two pixels, the highest of
        // them.
        nearest(series, x) {
            let [first, end] = [0, series.n];
            if (series.sorted) {
                const reach = this.plot.posToVal(this.plot.valToPos(x, "x") + 2, "x") - x;
                first = lowerBound(series.x, x - reach);
                end = lowerBound(series.x, x + reach);
                if (first >= end) {
                    const after = Math.min(first, series.n - 1);
                    const before = Math.max(after - 1, 0);
                    return x - series.x[before] < series.x[after] - x ? before : after;
                }
                return this.highest(series, first, end);
            }
            let best = 0;
            for (let i = first; i < end; i++) {
                if (Math.abs(series.x[i] - x) < Math.abs(series.x[best] - x)) {
                    best = i;
                }
            }
            return best;
        }

        highest(series, first, end) {
            let best = first;
            for (let i = first; i < end; i++) {
                best = series.y[i] > series.y[best] ? i : best;
            }
            return best;
        }

        binAt(series, x) {
            const at = lowerBound(series.low, x) - 1;
            return at >= 0 && series.high[at] >= x ? at : -1;
        }

        indexAt(series, x) {
            if (series.n === 0) {
                return -1;
            }
            switch (this.figure.kind) {
            case "histogram":
                return this.binAt(series, x);
            case "steps":
                return lowerBound(series.x, x) - 1;
            default:
                return this.nearest(series, x);
            }
        }

        showValues() {
            const {left, top} = this.plot.cursor;
            if (left === undefined || left < 0) {
                this.tip.hide();
                return;
            }
            const lines = [];
            const x = this.plot.posToVal(left, "x");
            this.series.forEach((series, index) => {
                const at = series.shown && !series.reference ? this.indexAt(series, x) : -1;
                if (at >= 0 && lines.length < 12) {
                    lines.push([seriesColour(index), this.pointText(series, at)]);
                }
            });
            this.tip.show(left + this.plot.over.offsetLeft, top + this.plot.over.offsetTop, lines);
        }

        pointText(series, at) {
            const {kind, x, y, groups} = this.figure;
            const name = this.series.length > 1 ? series.name + ": " : "";
            const value = valueText(series.y[at], y.unit);
            if (kind === "histogram") {
                return `${name}${valueText(series.low[at])} to ${valueText(series.high[at],
                    x.unit)}: ${value}`;
            }
            const spread = series.low === null ? ""
                : ` (${valueText(series.low[at])} to ${valueText(series.high[at], y.unit)})`;
            const place = groups ? groups[Math.round(series.x[at])] : valueText(series.x[at],
                x.unit);
            return `${name}${place}: ${value}${spread}`;
        }

        addLegend() {
            addSeriesLegend(this, () => {
                this.redraw();
                this.tellThreshold();
            });
        }

        // ---- averages ----

        // Returns the series to average: the one set aside, otherwise the first that is no
        // reference.
        samples() {
            return this.series.find((series) => series.aside) ||
                this.series.find((series) => !series.reference) || this.series[0];
        }

        // Adds the box for averages, if the page holds all samples.
        addAveraging() {
            const samples = this.samples();
            if (!this.figure.averaged || samples.n < 3 || samples.n < samples.total) {
                return;
            }
            const input = make("input", {type: "number", min: "0", step: "any"});
            input.addEventListener("change", () => this.averageOver(Number(input.value)));
            this.box.append(make("label", {className: "averaging"}, "average over ", input,
                " " + (this.figure.x.unit || "")));
        }

        averageOver(length) {
            const samples = this.samples();
            const span = samples.x[samples.n - 1] - samples.x[0];
            this.series = this.series.filter((series) => !series.own);
            if (length > 0 && span / length <= WINDOWS_MAX) {
                const averaged = averagedSteps(samples, length);
                this.series.push({...averaged, name: `over ${length} ${this.figure.x.unit || ""}`,
                    total: averaged.n, low: null, high: null, sorted: true, own: true});
            }
            for (const series of this.series) {
                series.shown = !series.aside;
            }
            const before = this.legend;
            this.addLegend();
            before?.replaceWith(this.legend);
            this.redraw();
        }

        // ---- threshold ----

        addThreshold() {
            const upright = this.figure.kind === "histogram";
            this.handle = make("div", {className: "threshold " + (upright ? "upright" : "level"),
                tabIndex: 0, role: "slider", "aria-label": "threshold"});
            this.thresholdText = make("p", {className: "threshold-text"});
            this.plot.over.append(this.handle);
            this.box.append(this.thresholdText);
            // Otherwise uPlot would take it for the start of a zoom.
            this.handle.addEventListener("mousedown", (event) => event.stopPropagation());
            this.handle.addEventListener("dblclick", (event) => event.stopPropagation());
            this.handle.addEventListener("pointerdown", (event) => {
                event.stopPropagation();
                this.handle.setPointerCapture(event.pointerId);
            });
            this.handle.addEventListener("pointermove", (event) => {
                if (this.handle.hasPointerCapture(event.pointerId)) {
                    const box = this.plot.over.getBoundingClientRect();
                    this.moveThreshold(upright ? event.clientX - box.left : event.clientY - box.top);
                }
            });
            this.handle.addEventListener("keydown", (event) => this.keyThreshold(event, upright));
            this.setThreshold(this.figure.threshold);
        }

        setThreshold(threshold) {
            this.threshold = threshold;
            this.snapThreshold();
            this.placeThreshold();
            this.tellThreshold();
        }

        keyThreshold(event, upright) {
            const steps = {ArrowUp: -1, ArrowDown: 1, ArrowLeft: upright ? -1 : 1,
                ArrowRight: upright ? 1 : -1};
            if (event.key in steps) {
                event.preventDefault();
                this.moveThreshold(this.plot.valToPos(this.threshold, upright ? "x" : "y") +
                    steps[event.key]);
            }
        }

        moveThreshold(pixel) {
            const key = this.figure.kind === "histogram" ? "x" : "y";
            const {min, max} = this.plot.scales[key];
            this.setThreshold(Math.min(Math.max(this.plot.posToVal(pixel, key), min), max));
        }

        // Returns the table of thresholds for which counts are known, or null if the page holds all
        // points, so that any threshold will do.
        thresholdTable() {
            const table = this.figure.thresholds;
            if (!table) {
                return null;
            }
            this.table = this.table || {at: numbers(table.at, table.rows)};
            return this.table;
        }

        snapThreshold() {
            const own = this.figure.threshold;
            if (this.thresholdTable() !== null) {
                const at = this.table.at[this.thresholdRow(this.threshold)];
                // The table's numbers have seven digits.
                this.threshold = Math.abs(at - own) <= 1e-6 * own ? own : at;
            }
        }

        thresholdRow(threshold) {
            let best = 0;
            this.table.at.forEach((at, row) => {
                if (Math.abs(at - threshold) < Math.abs(this.table.at[best] - threshold)) {
                    best = row;
                }
            });
            return best;
        }

        placeThreshold() {
            if (!this.handle) {
                return;
            }
            const upright = this.figure.kind === "histogram";
            const place = this.plot.valToPos(this.threshold, upright ? "x" : "y");
            const room = upright ? this.plot.over.clientWidth : this.plot.over.clientHeight;
            this.handle.style[upright ? "left" : "top"] =
                Math.min(Math.max(place, 0), room) - HANDLE / 2 + "px";
            this.handle.title = "drag: " + roughText(this.threshold,
                (upright ? this.figure.x : this.figure.y).unit);
            this.handle.setAttribute("aria-valuenow", String(this.threshold));
        }

        // Returns the points of a series in the order of x, as [x, y].
        pointsOf(series) {
            if (!series.points) {
                const order = series.sorted ? null
                    : Uint32Array.from(series.x.keys()).sort((a, b) => series.x[a] - series.x[b]);
                series.points = order === null ? [series.x, series.y]
                    : [series.x, series.y].map((list) => Float64Array.from(order, (i) => list[i]));
            }
            return series.points;
        }

        binsAbove(series) {
            const said = {above: 0, all: 0};
            for (let i = 0; i < series.n; i++) {
                const share = Math.min(Math.max((series.high[i] - this.threshold) /
                    (series.high[i] - series.low[i] || 1), 0), 1);
                said.above += share >= 0.5 ? series.y[i] : 0;
                said.all += series.y[i];
            }
            return `${valueText(said.above)} of ${valueText(said.all)} above ` +
                `(${roughText(100 * said.above / said.all)} %)`;
        }

        pointsAbove(series) {
            const [x, y] = this.pointsOf(series);
            let [count, sum, all, mean, squares, before] = [0, 0, 0, 0, 0, NaN];
            for (let i = 0; i < x.length; i++) {
                all += y[i] > -Infinity ? y[i] : 0;
                if (!(y[i] > this.threshold)) {
                    continue;
                }
                if (count > 0) {
                    const distance = x[i] - before - mean;
                    mean += distance / count;
                    squares += distance * (x[i] - before - mean);
                }
                before = x[i];
                sum += y[i];
                count++;
            }
            return {count, n: x.length, share: sum / all, mean: count > 1 ? mean : NaN,
                deviation: count > 2 ? Math.sqrt(squares / (count - 2)) : NaN};
        }

        pointsOfTable(series) {
            const row = this.thresholdRow(this.threshold);
            const {all, ...columns} = series.thresholds;
            const value = (key) => numbers(columns[key], this.table.at.length)[row];
            return {count: value("count"), n: series.total, share: value("sum") / all,
                mean: value("mean"), deviation: value("deviation")};
        }

        seriesAbove(series) {
            const {x, y, kind} = this.figure;
            if (kind === "histogram") {
                return this.binsAbove(series);
            }
            const said = this.thresholdTable() !== null ? this.pointsOfTable(series)
                : this.pointsAbove(series);
            // A smaller deviation is only rounding error.
            const deviation = said.deviation < said.mean * 1e-9 ? 0 : said.deviation;
            const intervals = said.count < 2 ? ""
                : `; average interval ${timeText(said.mean, x.unit)}` +
                    (said.count < 3 ? "" : `, deviation ${timeText(deviation, x.unit)}`);
            return `${valueText(said.count)} of ${valueText(said.n)} above, with ` +
                `${roughText(100 * said.share)} % of all ${y.label || "values"}${intervals}`;
        }

        // Prints the counts of each series separately: events of different series form no sequence.
        tellThreshold() {
            if (!this.handle) {
                return;
            }
            const {x, y, kind, threshold, threshold_name: name} = this.figure;
            const at = roughText(this.threshold, (kind === "histogram" ? x : y).unit);
            const head = `threshold ${at}${name && this.threshold === threshold ? ` (${name})` : ""}`;
            const shown = this.series.filter((series) => series.shown && !series.own &&
                !series.reference && series.total > 0);
            if (shown.length === 1 && this.series.length === 1) {
                this.thresholdText.replaceChildren(`${head}: ${this.seriesAbove(shown[0])}`);
                return;
            }
            this.thresholdText.replaceChildren(head, ...shown.map((series) => make("span",
                {className: "of-series"}, `${series.name}: ${this.seriesAbove(series)}`)));
        }

        redraw() {
            if (this.plot) {
                this.plot.setScale("x", {min: this.range[0], max: this.range[1]});
            }
        }

        resize() {
            if (this.plot) {
                this.plot.setSize({width: this.plotBox.clientWidth, height: this.height()});
            }
        }

        recolour() {
            if (this.plot) {
                this.legend?.recolour();
                this.plot.redraw(false, true);
            }
        }
    }

    // ---- figures drawn on a canvas without uPlot ----

    class Drawing {
        constructor(figure, box) {
            this.figure = figure;
            this.box = box;
            this.decode();
            this.plotBox = box.appendChild(make("div", {className: "plot"}));
            this.canvas = this.plotBox.appendChild(make("canvas"));
            this.tip = new Tooltip(this.plotBox);
            this.plotBox.addEventListener("mousemove", (event) => {
                const place = this.plotBox.getBoundingClientRect();
                const x = event.clientX - place.left;
                const y = event.clientY - place.top;
                this.tip.show(x, y, this.linesAt(x, y));
            });
            this.plotBox.addEventListener("mouseleave", () => this.tip.hide());
            this.addLegend?.();
            this.draw();
        }

        width() {
            return this.plotBox.clientWidth;
        }

        draw() {
            const begun = performance.now();
            const context = prepare(this.canvas, this.width(), this.height());
            this.paint(context);
            this.drawMs = performance.now() - begun;
        }

        resize() {
            this.draw();
        }

        recolour() {
            this.legend?.recolour();
            this.draw();
        }
    }

    // Draws a text along an axis of a drawing.
    function paintText(context, text, x, y, align) {
        context.fillStyle = colour("text");
        context.textAlign = align;
        context.fillText(text, x, y);
    }

    function paintLine(context, x0, y0, x1, y1, name) {
        context.strokeStyle = colour(name);
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
        context.stroke();
    }

    // Returns whether this is a key figure. Key figures are small and have no axis if values are
    // printed next to what is drawn.
    function isKey(figure) {
        return figure.section === "At a glance"; // FIGURE_SECTION_KEY
    }

    const AXIS = 46; // height of the axis below a drawing, in pixels

    // Horizontal bars, so that names of any length can be read.
    class Bars extends Drawing {
        decode() {
            this.series = this.figure.series.map(decodeSeries);
            this.plain = isKey(this.figure) && this.barSeries().length === 1;
            if (this.plain) {
                this.box.append(make("p", {className: "y-label"}, axisLabel(this.figure.y) +
                    (this.figure.y.logarithmic ? ", logarithmic" : "")));
            }
        }

        shownSeries() {
            return this.series.filter((series) => series.shown);
        }

        barSeries() {
            return this.series.filter((series) => !series.reference);
        }

        height() {
            const bars = this.barSeries().length;
            return this.figure.groups.length * (bars * 14 + 8) + this.below();
        }

        below() {
            return this.plain ? 4 : AXIS;
        }

        // Returns the value to print next to a bar that is alone in its group.
        valueOf(series, i) {
            const spread = series.low === null || !(series.high[i] > series.low[i]) ? ""
                : ` (${shortText(series.low[i])} to ${shortText(series.high[i])})`;
            return shortText(series.y[i]) + spread;
        }

        valueWidth(context) {
            const [series, ...others] = this.barSeries();
            const texts = series === undefined || others.length > 0 ? []
                : Array.from(series.y, (_, i) => this.valueOf(series, i));
            const widest = Math.max(...texts.map((text) => context.measureText(text).width), 0);
            return widest > 0 && widest < this.width() * 0.4 ? Math.ceil(widest) + 6 : 0;
        }

        addLegend() {
            addSeriesLegend(this, () => this.draw());
        }

        valueRange() {
            const logarithmic = this.figure.y.logarithmic;
            let min = logarithmic ? Infinity : 0;
            let max = logarithmic ? -Infinity : 0;
            for (const series of this.shownSeries()) {
                for (let i = 0; i < series.n; i++) {
                    const values = [series.y[i]].concat(series.low === null ? []
                        : [series.low[i], series.high[i]]);
                    for (const value of values) {
                        if (Number.isFinite(value) && (!logarithmic || value > 0)) {
                            min = Math.min(min, value);
                            max = Math.max(max, value);
                        }
                    }
                }
            }
            if (logarithmic) {
                return max > 0 ? [min / 2, max * 1.5] : [1, 10];
            }
            return max > min ? [min, max + (max - min) * 0.04] : [0, 1];
        }

        paint(context) {
            const labels = this.figure.groups;
            const widest = Math.max(...labels.map((text) => context.measureText(text).width), 0);
            const left = Math.ceil(Math.min(widest, this.width() * 0.4)) + 10;
            const values = this.valueWidth(context);
            const length = this.width() - left - Math.max(values, 24);
            const [min, max] = this.valueRange();
            const logarithmic = this.figure.y.logarithmic;
            const map = mapping({min, max}, logarithmic, left, length);
            const bottom = this.height() - this.below() + 4;
            this.left = left;
            if (!this.plain) {
                this.paintAxis(context, map, [min, max], length, bottom);
            }
            labels.forEach((text, group) => {
                paintText(context, fitText(context, text, left - 8), left - 8,
                    (group + 0.5) * this.figureStep() + 2, "right");
            });
            const zero = Math.max(left, map(Math.max(min, logarithmic ? min : 0)));
            const bars = this.shownSeries().filter((series) => !series.reference);
            bars.forEach((series, index) => this.paintBars(context, series, index, map, zero));
            this.shownSeries().filter((series) => series.reference).forEach((series) => {
                this.paintReference(context, series, map);
            });
            if (values > 0) {
                bars.forEach((series) => this.paintValues(context, series, map, zero));
            }
            paintLine(context, map(logarithmic ? min : 0), 0, map(logarithmic ? min : 0), bottom,
                "text");
        }

        // Returns the colour of a series; a series called "worse" or "better" has the colour for
        // that.
        barColour(series) {
            return MOODS[series.name] ? colour(MOODS[series.name])
                : seriesColour(this.series.indexOf(series));
        }

        figureStep() {
            return (this.height() - this.below()) / this.figure.groups.length;
        }

        paintAxis(context, map, [min, max], length, bottom) {
            const axis = this.figure.y;
            const ticks = axis.logarithmic ? logTicks(min, max, 10)
                : niceTicks(min, max, Math.max(Math.floor(length / 90), 2));
            const every = Math.max(Math.ceil(ticks.length * 50 / length), 1);
            ticks.filter((tick, i) => i % every === 0).forEach((tick) => {
                paintLine(context, map(tick), 0, map(tick), bottom + 4, "grid");
                paintText(context, tickText(tick, axis.unit), map(tick), bottom + 13, "center");
            });
            paintText(context, axisLabel(axis), this.left + length / 2, bottom + 32, "center");
        }

        paintReference(context, series, map) {
            const step = this.figureStep();
            context.setLineDash([4, 3]);
            for (let i = 0; i < series.n; i++) {
                const x = Math.round(map(series.y[i])) + 0.5;
                if (Number.isFinite(x)) {
                    paintLine(context, x, series.x[i] * step + 2, x, (series.x[i] + 1) * step, "text");
                }
            }
            context.setLineDash([]);
        }

        // Draws the values after the ends of the bars and their deviations, readable across a
        // reference.
        paintValues(context, series, map, zero) {
            const step = this.figureStep();
            context.lineWidth = 3;
            context.lineJoin = "round";
            for (let i = 0; i < series.n; i++) {
                const high = series.low === null ? NaN : map(series.high[i]);
                const places = [zero, map(series.y[i]), high].filter((x) => Number.isFinite(x));
                const at = [this.valueOf(series, i), Math.max(...places) + 5,
                    (series.x[i] + 0.5) * step + 2];
                context.textAlign = "left";
                context.strokeStyle = colour("ground");
                context.lineWidth = 4;
                context.strokeText(...at);
                paintText(context, ...at, "left");
            }
        }

        paintBars(context, series, index, map, zero) {
            const step = this.figureStep();
            const bars = this.shownSeries().filter((one) => !one.reference).length;
            const thick = (step - 8) / Math.max(bars, 1);
            for (let i = 0; i < series.n; i++) {
                const top = series.x[i] * step + 6 + index * thick;
                const end = map(series.y[i]);
                context.fillStyle = this.barColour(series);
                if (Number.isFinite(end)) {
                    context.fillRect(Math.min(zero, end), top, Math.max(Math.abs(end - zero), 1),
                        Math.max(thick - 2, 1));
                }
                if (series.low !== null && Number.isFinite(series.high[i])) {
                    const low = map(series.low[i]);
                    this.paintDeviation(context, Number.isFinite(low) ? low : zero,
                        map(series.high[i]), top + thick / 2 - 1);
                }
            }
        }

        paintDeviation(context, low, high, y) {
            paintLine(context, low, y, high, y, "text");
            paintLine(context, low, y - 3, low, y + 3, "text");
            paintLine(context, high, y - 3, high, y + 3, "text");
        }

        linesAt(x, y) {
            const group = Math.floor((y - 2) / this.figureStep());
            if (group < 0 || group >= this.figure.groups.length) {
                return [];
            }
            const lines = [[null, this.figure.groups[group]]];
            for (const series of this.shownSeries()) {
                const at = series.x.indexOf(group);
                if (at >= 0) {
                    const spread = series.low === null || !Number.isFinite(series.high[at]) ? ""
                        : ` (${valueText(series.low[at])} to ${valueText(series.high[at])})`;
                    lines.push([this.barColour(series), `${series.name || ""} ` +
                        valueText(series.y[at], this.figure.y.unit) + spread]);
                }
            }
            return lines;
        }
    }

    // Cividis (Nuñez, Anderton, Renslow 2018), whose order is visible to colour-blind readers too.
    const HEAT = [[0, 34, 78], [44, 62, 107], [87, 93, 109], [125, 124, 120], [165, 156, 116],
        [210, 193, 92], [254, 232, 56]];

    function heatColour(part) {
        const place = Math.min(Math.max(part, 0), 1) * (HEAT.length - 1);
        const from = Math.min(Math.floor(place), HEAT.length - 2);
        return HEAT[from].map((value, i) => Math.round(value + (HEAT[from + 1][i] - value) *
            (place - from)));
    }

    class Heat extends Drawing {
        decode() {
            const {rows, columns, values} = this.figure;
            this.values = numbers(values, rows.length * columns.length);
            const there = this.values.filter((value) => Number.isFinite(value));
            this.min = there.reduce((least, value) => Math.min(least, value), Infinity);
            this.max = there.reduce((most, value) => Math.max(most, value), -Infinity);
        }

        cellHeight() {
            return Math.min(Math.max(Math.floor(420 / this.figure.rows.length), 16), 40);
        }

        height() {
            return this.figure.rows.length * this.cellHeight() + 24 + 56;
        }

        // A logarithmic scale prevents one value far above all others from making those look equal.
        isLogarithmic() {
            return this.min > 0 && this.max > 20 * this.min;
        }

        part(value) {
            if (!(this.max > this.min)) {
                return 0.5;
            }
            return this.isLogarithmic() ? Math.log(value / this.min) / Math.log(this.max / this.min)
                : (value - this.min) / (this.max - this.min);
        }

        paint(context) {
            const {rows, columns, x, y} = this.figure;
            const widest = Math.max(...rows.map((text) => context.measureText(text).width));
            this.left = Math.ceil(Math.min(widest, this.width() * 0.3)) + (y.label ? 30 : 10);
            this.step = Math.min((this.width() - this.left - 4) / columns.length, 120);
            const high = this.cellHeight();
            const bottom = rows.length * high;
            rows.forEach((text, row) => {
                paintText(context, fitText(context, text, this.left - (y.label ? 28 : 8)),
                    this.left - 6, (row + 0.5) * high, "right");
                columns.forEach((name, column) => this.paintCell(context, row, column));
            });
            const every = Math.ceil(Math.max(...columns.map((text) =>
                context.measureText(text).width + 6)) / this.step);
            columns.forEach((text, column) => {
                if (column % every === 0) {
                    paintText(context, text, this.left + (column + 0.5) * this.step, bottom + 12,
                        "center");
                }
            });
            paintText(context, x.label || "", this.left + columns.length * this.step / 2,
                bottom + 30, "center");
            this.paintSide(context, y.label || "", bottom);
            this.paintScale(context, bottom + 48);
        }

        paintSide(context, text, bottom) {
            context.save();
            context.translate(10, bottom / 2);
            context.rotate(-Math.PI / 2);
            paintText(context, fitText(context, text, bottom), 0, 0, "center");
            context.restore();
        }

        paintCell(context, row, column) {
            const value = this.values[row * this.figure.columns.length + column];
            const high = this.cellHeight();
            const [x, y] = [this.left + column * this.step, row * high];
            if (!Number.isFinite(value)) {
                paintLine(context, x, y + high - 1, x + this.step - 1, y, "grid");
                return;
            }
            const [red, green, blue] = heatColour(this.part(value));
            const text = plain(value, 3);
            context.fillStyle = `rgb(${red},${green},${blue})`;
            context.fillRect(x, y, Math.max(this.step - 1, 1), high - 1);
            if (context.measureText(text).width + 4 < this.step) {
                context.fillStyle = red * 0.3 + green * 0.6 + blue * 0.1 > 120 ? "#000" : "#fff";
                context.textAlign = "center";
                context.fillText(text, x + this.step / 2, y + high / 2);
            }
        }

        paintScale(context, y) {
            const width = Math.min(180, this.width() / 3);
            const first = roughText(this.min);
            const from = this.left + context.measureText(first).width + 8;
            if (this.min > this.max) {
                return;
            }
            paintText(context, first, this.left, y + 14, "left");
            for (let i = 0; i < width; i++) {
                context.fillStyle = `rgb(${heatColour(i / width)})`;
                context.fillRect(from + i, y + 8, 1, 12);
            }
            paintText(context, roughText(this.max) + (this.isLogarithmic() ? ", logarithmic" : ""),
                from + width + 8, y + 14, "left");
        }

        linesAt(x, y) {
            const {rows, columns} = this.figure;
            const row = Math.floor(y / this.cellHeight());
            const column = Math.floor((x - this.left) / this.step);
            if (row < 0 || row >= rows.length || column < 0 || column >= columns.length) {
                return [];
            }
            return [[null, `${this.named(this.figure.y, rows[row])}, ` +
                `${this.named(this.figure.x, columns[column])}: ` +
                valueText(this.values[row * columns.length + column])]];
        }

        named(axis, name) {
            return axis.label ? axis.label + " " + name : name;
        }
    }

    const LANE = 24;

    class Timeline extends Drawing {
        decode() {
            const {spans, lanes} = this.figure;
            this.begin = numbers(spans.begin, spans.n);
            this.end = numbers(spans.end, spans.n);
            const lane = numbers(spans.lane, spans.n);
            this.state = numbers(spans.state, spans.n);
            this.name = spans.names ? numbers(spans.name, spans.n) : null;
            this.shown = this.figure.states.map(() => true);
            this.lanes = lanes.map(() => []);
            for (let i = 0; i < spans.n; i++) {
                this.lanes[lane[i]].push(i);
            }
            this.longest = lanes.map(() => 0);
            this.lanes.forEach((list, at) => {
                list.sort((a, b) => this.begin[a] - this.begin[b]);
                this.longest[at] = list.reduce((most, i) => Math.max(most, this.end[i] -
                    this.begin[i]), 0);
            });
            this.full = [this.begin.reduce((least, value) => Math.min(least, value), Infinity),
                this.end.reduce((most, value) => Math.max(most, value), -Infinity)];
            if (!(this.full[1] > this.full[0])) {
                this.full = spans.n > 0 ? [this.full[0] - 0.5, this.full[0] + 0.5] : [0, 1];
            }
            this.range = this.full.slice();
        }

        height() {
            return this.lanes.length * LANE + (isKey(this.figure) && this.figure.x.unit === "%" ? 2 : 44);
        }

        addLegend() {
            const {spans, states} = this.figure;
            this.legend = legend(states, (state) => stateColour(this.figure, state),
                (state, shown) => {
                    this.shown[state] = shown;
                    this.draw();
                });
            this.box.append(this.legend);
            if (spans.n < spans.total) {
                this.box.append(make("p", {className: "note"},
                    `the page holds ${valueText(spans.n)} of ${valueText(spans.total)} spans: ` +
                    "short spans of one state are joined"));
            }
            this.band = this.plotBox.appendChild(make("div", {className: "band", hidden: true}));
            this.addDrag();
            addGestures(this.plotBox, this);
            this.plotBox.addEventListener("dblclick", () => this.setRange(...this.full));
        }

        setRange(min, max) {
            const least = (this.full[1] - this.full[0]) * 1e-9;
            const from = Math.max(min, this.full[0]);
            const to = Math.min(max, this.full[1]);
            if (to - from > least) {
                this.range = [from, to];
                this.draw();
            }
        }

        // Takes fractions of the canvas, part of which is used by the names of the lanes.
        zoom(from, to) {
            const at = (x) => this.timeAt(from * this.width() + x * (to - from));
            this.setRange(at(this.left), at(this.width() - 10));
        }

        timeAt(x) {
            const [min, max] = this.range;
            return min + (x - this.left) / (this.width() - this.left - 10) * (max - min);
        }

        addDrag() {
            let from = null;
            const place = (event) => Math.max(event.clientX -
                this.plotBox.getBoundingClientRect().left, this.left);
            this.plotBox.addEventListener("mousedown", (event) => {
                from = event.button === 0 ? place(event) : null;
                event.preventDefault();
            });
            window.addEventListener("mousemove", (event) => {
                if (from !== null) {
                    const to = place(event);
                    this.band.hidden = Math.abs(to - from) < 4;
                    this.band.style.left = Math.min(from, to) + "px";
                    this.band.style.width = Math.abs(to - from) + "px";
                }
            });
            window.addEventListener("mouseup", (event) => {
                const to = place(event);
                if (from !== null && Math.abs(to - from) >= 4) {
                    this.setRange(this.timeAt(Math.min(from, to)), this.timeAt(Math.max(from, to)));
                }
                from = null;
                this.band.hidden = true;
            });
        }

        paint(context) {
            const {lanes, x} = this.figure;
            const widest = Math.max(...lanes.map((text) => context.measureText(text).width), 0);
            this.left = Math.ceil(Math.min(widest, this.width() * 0.3)) + 10;
            const columns = Math.max(Math.floor(this.width() - this.left - 10), 1);
            const bottom = lanes.length * LANE;
            const perTime = columns / (this.range[1] - this.range[0]);
            lanes.forEach((text, lane) => {
                paintText(context, fitText(context, text, this.left - 8), this.left - 6,
                    (lane + 0.5) * LANE, "right");
                paintLine(context, this.left, (lane + 1) * LANE - 0.5, this.left + columns,
                    (lane + 1) * LANE - 0.5, "grid");
            });
            for (const tick of niceTicks(this.range[0], this.range[1], columns / 100)) {
                const at = this.left + (tick - this.range[0]) * perTime;
                paintLine(context, at, 0, at, bottom + 4, "grid");
                const narrow = (this.range[1] - this.range[0]) < Math.abs(this.range[1]) * 1e-4;
                paintText(context, narrow ? plain(tick, 10) : tickText(tick, x.unit), at,
                    bottom + 13, "center");
            }
            paintText(context, axisLabel(x), this.left + columns / 2, bottom + 32, "center");
            lanes.forEach((text, lane) => this.paintLane(context, lane, columns, perTime));
        }

        // Returns the share of each state in each column of pixels.
        shares(lane, columns, perTime) {
            const states = this.figure.states.length;
            const shares = new Float32Array(columns * states);
            const list = this.lanes[lane];
            const from = this.range[0];
            const first = lowerBound(list, from - this.longest[lane], (i) => this.begin[i]);
            for (let k = first; k < list.length && this.begin[list[k]] <= this.range[1]; k++) {
                const i = list[k];
                if (this.shown[this.state[i]] && this.end[i] >= from) {
                    this.addShare(shares, states, columns, (this.begin[i] - from) * perTime,
                        (this.end[i] - from) * perTime, this.state[i]);
                }
            }
            return shares;
        }

        // Adds a span to the shares. Every span gets a share above 0, however short it is.
        addShare(shares, states, columns, begin, end, state) {
            const first = Math.min(Math.max(Math.floor(begin), 0), columns - 1);
            const last = Math.min(Math.max(Math.ceil(end) - 1, first), columns - 1);
            for (let column = first; column <= last; column++) {
                const part = Math.min(end, column + 1) - Math.max(begin, column);
                shares[column * states + state] += Math.max(part, 1e-3);
            }
        }

        paintLane(context, lane, columns, perTime) {
            const states = this.figure.states.length;
            const shares = this.shares(lane, columns, perTime);
            const colours = this.figure.states.map((name, state) => stateColour(this.figure, state));
            const top = lane * LANE + 3;
            const height = LANE - 6;
            for (let column = 0; column < columns;) {
                const only = this.onlyState(shares, column, states);
                let next = column + 1;
                if (only >= 0) {
                    while (next < columns && this.onlyState(shares, next, states) === only) {
                        next++;
                    }
                    context.fillStyle = colours[only];
                    context.fillRect(this.left + column, top, next - column, height);
                } else if (only === -2) {
                    this.paintColumn(context, shares, column, states, colours, top, height);
                }
                column = next;
            }
            this.paintNames(context, lane, perTime);
        }

        // Draws the borders of named spans, and their names where they fit.
        paintNames(context, lane, perTime) {
            context.textAlign = "left";
            for (const i of this.name === null ? [] : this.lanes[lane]) {
                const from = Math.max((this.begin[i] - this.range[0]) * perTime, 0);
                const to = Math.min(this.end[i] - this.range[0],
                    this.range[1] - this.range[0]) * perTime;
                if (this.name[i] > 0 && this.shown[this.state[i]] && to - from > 3) {
                    context.strokeStyle = "#fff";
                    context.strokeRect(this.left + from, lane * LANE + 3, to - from, LANE - 6);
                    if (to - from > 30) {
                        context.fillStyle = "#fff";
                        context.fillText(fitText(context, this.nameOf(i), to - from - 6),
                            this.left + from + 3, (lane + 0.5) * LANE);
                    }
                }
            }
        }

        nameOf(i) {
            return this.name !== null && this.name[i] > 0 ?
                this.figure.spans.names[this.name[i] - 1] : this.figure.states[this.state[i]];
        }

        // Returns the only state of a column, -1 for none, -2 for several.
        onlyState(shares, column, states) {
            let only = -1;
            for (let state = 0; state < states; state++) {
                if (shares[column * states + state] > 0) {
                    only = only === -1 ? state : -2;
                }
            }
            return only;
        }

        // Draws several states stacked by their shares, each high enough to be noticed.
        paintColumn(context, shares, column, states, colours, top, height) {
            const parts = [];
            let sum = 0;
            for (let state = 0; state < states; state++) {
                const share = shares[column * states + state];
                if (share > 0) {
                    parts.push([state, share]);
                    sum += share;
                }
            }
            const least = Math.min(5, height / parts.length);
            const room = height - least * parts.length;
            let y = top;
            for (const [state, share] of parts) {
                const high = least + room * share / sum;
                context.fillStyle = colours[state];
                context.fillRect(this.left + column, y, 1, high);
                y += high;
            }
        }

        linesAt(x, y) {
            const lane = Math.floor(y / LANE);
            if (lane < 0 || lane >= this.lanes.length || x < this.left) {
                return [];
            }
            const from = this.timeAt(x - 1);
            const to = this.timeAt(x + 1);
            const found = this.lanes[lane].filter((i) => this.begin[i] <= to &&
                this.end[i] >= from && this.shown[this.state[i]]);
            const unit = this.figure.x.unit;
            const lines = found.slice(0, 6).map((i) => [stateColour(this.figure, this.state[i]),
                `${this.nameOf(i)}: ${timeText(this.end[i] - this.begin[i],
                    unit)} from ${valueText(this.begin[i], unit)}`]);
            if (found.length > 6) {
                lines.push([null, `and ${found.length - 6} more`]);
            }
            return lines.length > 0 ? [[null, this.figure.lanes[lane]], ...lines] : [];
        }
    }

    // ---- tables ----

    const UNITS = {ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 1024, MiB: 1048576,
        GiB: 1073741824, k: 1e3, M: 1e6, G: 1e9};
    const ROWS_SHOWN = 40;

    // Returns what a cell is sorted by: a number with its unit, otherwise its text.
    function cellKey(text) {
        const match = /^[<>~+≈]*\s*(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([A-Za-zµ]*)/.exec(text);
        if (match === null) {
            return text === "" || text === "-" ? -Infinity : text;
        }
        return Number(match[1].replaceAll(",", "")) * (UNITS[match[2]] || 1);
    }

    // Groups the digits of a number of five digits or more in threes.
    function grouped(text) {
        return text.replace(/^[-+]?\d{5,}/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));
    }

    function compareKeys(a, b) {
        if (typeof a === typeof b) {
            return a < b ? -1 : a > b ? 1 : 0;
        }
        return typeof a === "number" ? -1 : 1;
    }

    // words that mean good or bad, with the class that sets their colour and sign
    const MOODS = {OK: "good", better: "good", VALID: "good", kept: "good", SKIP: "quiet",
        reproduced: "good", "not reproduced": "bad", "cannot be": "quiet", unknown: "quiet",
        worse: "bad", FAIL: "bad", ERROR: "bad", CRASH: "bad", INVALID: "bad", broken: "bad"};

    class Table {
        constructor(figure, box) {
            this.figure = figure;
            this.rows = [];
            this.all = false;
            const cells = figure.cells || [];
            for (let i = 0; i < cells.length; i += figure.columns.length) {
                this.rows.push(cells.slice(i, i + figure.columns.length));
            }
            this.body = make("tbody");
            const heads = figure.columns.map((name, column) => this.head(name, column));
            box.append(make("div", {className: "table", tabIndex: 0},
                make("table", {}, make("thead", {}, make("tr", {}, ...heads)), this.body)));
            if (this.rows.length > ROWS_SHOWN + 20) {
                this.more = box.appendChild(make("button", {type: "button", className: "more"},
                    `show all ${this.rows.length} rows`));
                this.more.addEventListener("click", () => this.showAll());
            }
            this.fill();
        }

        side(column) {
            return this.figure.alignment[column] === "r" ? "right" : "left";
        }

        head(name, column) {
            if (name === "") {
                // An empty heading is an ordinary cell.
                return make("td", {className: this.side(column)});
            }
            const button = make("button", {type: "button"}, name);
            const cell = make("th", {className: this.side(column), scope: "col"}, button);
            button.addEventListener("click", () => {
                const up = cell.getAttribute("aria-sort") !== "ascending";
                cell.parentNode.querySelectorAll("th").forEach((th) => {
                    th.removeAttribute("aria-sort");
                });
                cell.setAttribute("aria-sort", up ? "ascending" : "descending");
                this.rows.sort((a, b) => (up ? 1 : -1) * compareKeys(cellKey(a[column]),
                    cellKey(b[column])));
                this.fill();
            });
            return cell;
        }

        fill() {
            const rows = this.all || !this.more ? this.rows : this.rows.slice(0, ROWS_SHOWN);
            this.body.replaceChildren(...rows.map((row) => make("tr", {}, ...row.map(
                (text, column) => make("td", {className: (this.side(column) + " " +
                    (MOODS[text] ? "mood " + MOODS[text] : "")).trim()},
                    this.side(column) === "right" ? grouped(text) : text)))));
        }

        showAll() {
            this.all = true;
            this.fill();
            this.more?.remove();
        }
    }

    // Shows what svg_states.c drew.
    class States {
        constructor(figure, box) {
            box.style.minHeight = "";
            box.innerHTML = `<svg viewBox="0 0 640 ${figure.height}">${figure.drawing}</svg>`;
        }
    }

    class Absent {
        constructor(figure, box) {
            box.append(make("p", {className: "absent"}, "not shown: " + figure.absent));
        }
    }

    // ---- the page ----

    const BARS_MAX = 60; // more bars are drawn as sticks

    function viewClass(figure) {
        switch (figure.kind) {
        case "bars":
            return figure.groups && figure.groups.length <= BARS_MAX ? Bars : Plot;
        case "heat":
            figure.absent = "no value was measured";
            return figure.values ? Heat : Absent;
        case "timeline":
            return Timeline;
        case "states":
            return States;
        case "table":
            return Table;
        case "absent":
            return Absent;
        default:
            return Plot;
        }
    }

    // Constructs a view. An error in one figure does not affect the others.
    function construct(View, figure, box) {
        try {
            return new View(figure, box);
        } catch (error) {
            console.error(figure.id, error);
            box.textContent = "";
            return new Absent({absent: String(error)}, box);
        }
    }

    function draw(figure, box) {
        if (views.has(figure.id)) {
            return;
        }
        const begun = performance.now();
        const View = viewClass(figure);
        if (figure.kind === "bars" && View === Plot) {
            figure.kind = "sticks";
        }
        box.textContent = "";
        box.style.minHeight = "";
        const view = construct(View, figure, box);
        view.ms = performance.now() - begun;
        views.set(figure.id, view);
        new ResizeObserver(() => {
            const width = box.clientWidth; // 0 on a tab that is not visible
            if (width > 0 && view.seenWidth !== undefined && view.seenWidth !== width) {
                view.resize?.();
            }
            view.seenWidth = width;
        }).observe(box);
    }

    // Returns whether the figure needs the whole width.
    function isWide(figure) {
        const points = (figure.series || []).reduce((sum, series) => sum + series.n, 0);
        switch (figure.kind) {
        case "timeline":
            return true;
        case "table":
            return figure.columns.length > 4 || (figure.cells || []).some((text) =>
                text.length > 40);
        case "heat":
            return (figure.columns || []).length > 16;
        case "absent":
            return true;
        default:
            return points > 4000;
        }
    }

    // Widens a small figure that would otherwise be alone in its row.
    function fillRows(all) {
        const list = all.filter(({element}) => !element.hidden);
        let small = 0;
        list.forEach(({element, wide}, i) => {
            small = wide ? 0 : small + 1;
            const next = list[i + 1];
            const alone = !wide && small % 2 === 1 && (next === undefined || next.wide);
            element.classList.toggle("wide", wide || alone);
        });
    }

    // ---- copies of a figure: its address, its picture, its values ----

    function save(name, content) {
        const href = URL.createObjectURL(new Blob([content]));
        make("a", {href, download: name}).click();
        setTimeout(() => URL.revokeObjectURL(href), 60000);
    }

    // Saves the picture that is shown without script, with two pixels for each of its own.
    function savePng(name, svg) {
        const image = new Image();
        image.onload = () => {
            const canvas = make("canvas", {width: 2 * image.width, height: 2 * image.height});
            canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
            canvas.toBlob((blob) => save(name, blob));
        };
        image.src = "data:image/svg+xml," + encodeURIComponent(svg);
    }

    // Returns the values that a view shows as rows of cells, the first with their names.
    function rowsOf({figure, rows, series, lanes, ...view}) {
        const {x, y, kind, columns, groups} = figure;
        if (kind === "table") {
            return [columns, ...rows];
        }
        if (kind === "heat") {
            return [["", ...columns], ...figure.rows.map((name, row) => [name,
                ...view.values.slice(row * columns.length, (row + 1) * columns.length)])];
        }
        if (kind === "timeline") {
            return [["lane", "state", `begin [${x.unit}]`, `end [${x.unit}]`], ...lanes.flatMap((list,
                lane) => list.map((i) => [figure.lanes[lane], figure.states[view.state[i]],
                view.begin[i], view.end[i]]))];
        }
        return [["series", axisLabel(x) || "x", axisLabel(y) || "y", "low", "high"],
            ...series.flatMap(({name, n, ...of}) => Array.from({length: n}, (_, i) => [name,
                groups?.[Math.round(of.x[i])] ?? of.x[i], of.y[i], of.low?.[i], of.high?.[i]]))];
    }

    // A value that is missing is an empty cell.
    function csvOf(rows) {
        const cell = (value) => Number.isNaN(value ?? NaN) ? ""
            : /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
        return rows.map((row) => row.map(cell).join() + "\r\n").join("");
    }

    // Makes the links below a figure. `still` is the markup that is shown without script.
    function copiesOf(figure, box, still) {
        const {id, title, kind} = figure;
        const svg = /<svg.*<\/svg>/s.exec(still)?.[0];
        const link = make("a", {href: "#" + id, "aria-label": "Link: " + title}, "Link");
        link.addEventListener("click", () => navigator.clipboard?.writeText(link.href));
        const button = (name, action) => {
            const element = make("button", {type: "button", "aria-label": `${name}: ${title}`}, name);
            element.addEventListener("click", action);
            return element;
        };
        const list = make("span", {className: "copies"}, link);
        if (!["table", "absent"].includes(kind)) {
            list.append(button("PNG", () => savePng(id + ".png", svg)),
                button("SVG", () => save(id + ".svg", svg)));
        }
        if (!["states", "absent"].includes(kind)) {
            list.append(button("CSV", () => {
                draw(figure, box);
                save(id + ".csv", csvOf(rowsOf(views.get(id))));
            }));
        }
        return list;
    }

    function figureElement(figure, still) {
        if (figure.kind === "table") {
            figure.cells = [...new DOMParser().parseFromString(still, "text/html")
                .querySelectorAll("td")].map((cell) => cell.textContent);
        }
        const box = make("div", {className: "view"});
        if (!["table", "absent"].includes(figure.kind)) {
            box.style.minHeight = "300px"; // about the height of the drawn figure
        }
        const element = make("figure", {id: figure.id, className: figure.kind},
            make("figcaption", {}, make("h3", {}, figure.title), copiesOf(figure, box, still)),
            box);
        if (figure.how) {
            element.append(make("p", {className: "how"}, figure.how));
        }
        element.hidden = figure.beside === true;
        return {element, box, figure, wide: isWide(figure)};
    }

    // ---- variants: figures that share one place ----

    const VARIANTS = {response: "response time", service: "service time", idle: "idle loop"};

    // Makes radio buttons, which the keyboard moves too, for a section with variants.
    function variantSwitch(list, number) {
        const variants = Object.keys(VARIANTS).filter((name) =>
            list.some(({figure}) => figure.variant === name));
        if (variants.length < 2) {
            return [];
        }
        const buttons = variants.map((name) => {
            const input = make("input", {type: "radio", name: "measure-" + number, value: name,
                className: "measure"});
            input.checked = list.some(({figure}) => figure.variant === name && !figure.beside);
            input.addEventListener("change", () => chooseVariant(name));
            return make("label", {}, input, VARIANTS[name]);
        });
        return [make("fieldset", {className: "measures"}, make("legend", {}, "latency"), ...buttons)];
    }

    // Shows a variant in every grid that has it; other grids keep what they show.
    function chooseVariant(name) {
        for (const list of grids) {
            if (list.some(({figure}) => figure.variant === name)) {
                for (const {figure, element, entry} of list) {
                    element.hidden = figure.variant !== undefined && figure.variant !== name;
                    entry.hidden = element.hidden;
                }
                fillRows(list);
            }
        }
        for (const input of document.querySelectorAll("input.measure")) {
            input.checked = input.value === name;
        }
    }

    // ---- sections and groups ----

    const grids = []; // lists of figures that are next to each other
    const SCREEN = 800;
    const OPEN = 5.2 * SCREEN; // height that a tab opens with, at a width of 1280
    const CLOSED = 46; // height of a closed group
    const HEAD = 80; // height of a section's heading
    const ROW = 28; // height of a table's row

    // Returns about the height that a figure takes; half of it if two share a row.
    function heightOf({figure, element, wide}) {
        if (element.hidden) {
            return 0;
        }
        switch (figure.kind) {
        case "absent":
            return 90;
        case "table": {
            const rows = (figure.cells || []).length / figure.columns.length;
            return (140 + Math.min(rows, ROWS_SHOWN) * ROW) / (wide ? 1 : 2);
        }
        case "timeline":
            return 230 + figure.lanes.length * LANE;
        case "bars":
            return (210 + figure.groups.length * (figure.series.length * 14 + 8)) / 2;
        default:
            return 560 / (wide ? 1 : 2);
        }
    }

    function heightOfAll(list) {
        return list.reduce((sum, one) => sum + heightOf(one), 0);
    }

    function gridOf(list) {
        grids.push(list);
        fillRows(list);
        return make("div", {className: "grid"}, ...list.map((one) => one.element));
    }

    function groupElement(name, list, open) {
        const count = list.filter(({element}) => !element.hidden).length;
        return make("details", {className: "group", open},
            make("summary", {}, name, make("span", {className: "count"},
                count === 1 ? "" : ` ${count} figures`)), gridOf(list));
    }

    const FLAT = "Constant: one value throughout";

    // Returns the group of each figure, such as "burst" for section "Input events: burst" or for
    // title "burst: threads over time"; "" for no group. Short sections have no groups.
    function groupNames(list) {
        const names = list.map(({figure}) => /: (.*)/.exec(figure.section)?.[1] ||
            /^([^:]{1,40}?)(?: \[[^\]]*\])?: /.exec(figure.title)?.[1] || "");
        const several = list.length > 8 || list.some(({figure}) => figure.section.includes(": "));
        const flat = list.filter(({figure}) => figure.flat).length > 1;
        const seen = names.filter((_, i) => !list[i].element.hidden);
        return names.map((name, i) => flat && list[i].figure.flat ? FLAT : several && seen.filter((one) => one === name).length > 1
            ? name : "");
    }

    // Returns as many figures without a group as fit into `room`; the others form one closed group.
    function looseElements(list, room) {
        let used = 0;
        const shown = list.filter((one) => {
            used += heightOf(one);
            return used <= room;
        });
        const others = list.filter((one) => !shown.includes(one));
        const elements = shown.length > 0 ? [gridOf(shown)] : [];
        if (others.length > 0) {
            const titles = others.filter(({element}) => !element.hidden)
                .map(({figure}) => figure.title);
            elements.push(groupElement(titles.length > 3
                ? titles.slice(0, 2).join("; ") + " and more" : titles.join("; "), others, false));
        }
        return elements;
    }

    // Returns the figures by group; "" has those in no group.
    function groupsOf(list, folded) {
        const names = folded ? list.map(({figure}) => figure.title) : groupNames(list);
        const groups = new Map([["", []]]);
        list.forEach((one, i) => {
            groups.set(names[i], (groups.get(names[i]) || []).concat([one]));
        });
        return groups;
    }

    // Fills a section with its figures and groups, those that findings name first. Returns the room
    // that is left.
    function fillSection(section, groups, folded, room) {
        const isAbsent = ({figure}) => figure.kind === "absent";
        const loose = groups.get("").filter((one) => !isAbsent(one))
            .concat(groups.get("").filter(isAbsent));
        section.append(...looseElements(loose, room));
        let left = room - Math.min(heightOfAll(loose), room);
        const isNamed = ([, figuresOfIt]) => figuresOfIt.some((one) => one.isNamed);
        const [, ...others] = groups;
        for (const [name, figuresOfIt] of [...others.filter(isNamed),
            ...others.filter((one) => !isNamed(one))]) {
            const height = heightOfAll(figuresOfIt);
            const open = !folded && name !== FLAT && height <= left;
            section.append(groupElement(name, figuresOfIt, open));
            left -= open ? height : 0;
        }
        return left;
    }

    function contentsEntry(one) {
        one.entry = make("li", {hidden: one.element.hidden},
            make("a", {href: "#" + one.figure.id}, one.figure.title));
        return one.entry;
    }

    let sectionNumber = 0;

    // Fills a panel with its sections. Returns its list of contents.
    function fillPanel(panel, all) {
        const folded = panel.classList.contains("folded");
        const inOrder = panel.classList.contains("in-order");
        const sections = new Map();
        const list = make("ul");
        for (const one of all) {
            const name = tabs.length === 0 ? one.figure.section || ""
                : (one.figure.section || "").replace(inOrder ? /^.*?: / : /: .*/, "");
            sections.set(name, (sections.get(name) || []).concat([one]));
        }
        const groups = new Map([...sections].map(([name, figuresOfIt]) =>
            [name, groupsOf(figuresOfIt, folded)]));
        let room = [...groups.values()].reduce((left, one) => left - HEAD - one.size * CLOSED, OPEN);
        for (const [name, figuresOfIt] of sections) {
            const id = "section-" + sectionNumber++;
            const section = make("section", {id}, make("h2", {}, name),
                ...variantSwitch(figuresOfIt, sectionNumber));
            const entries = make("ul", {}, ...figuresOfIt.map(contentsEntry));
            if (tabs.length === 0 || inOrder) {
                section.append(gridOf(figuresOfIt));
            } else {
                room = fillSection(section, groups.get(name), folded, room);
            }
            panel.querySelector(".figures").append(section);
            list.append(make("li", {}, make("a", {href: "#" + id}, name), entries));
        }
        return list;
    }

    // ---- tabs ----

    const tabs = [...document.querySelectorAll("[role=tab]")];
    const panels = [...document.querySelectorAll("[role=tabpanel], .panel")];
    let chosen = 0;

    function panelOf(section) {
        const index = panels.findIndex((panel) => (panel.dataset.sections || "").split("|")
            .some((name) => name !== "" && (section === name || section.startsWith(name + ": "))));
        return index >= 0 ? index : panels.findIndex((panel) => !panel.dataset.sections);
    }

    function choose(index) {
        chosen = index;
        panels.forEach((panel, i) => {
            panel.hidden = i !== index;
        });
        tabs.forEach((tab, i) => {
            tab.setAttribute("aria-selected", String(i === index));
            tab.tabIndex = i === index ? 0 : -1;
        });
        document.querySelectorAll("#contents [data-panel]").forEach((list) => {
            list.hidden = Number(list.dataset.panel) !== index;
        });
        const here = document.querySelector("#contents details");
        here.hidden = tabs.length > 0 && index === 0;
    }

    // Shows what the address names: a tab, or a figure or section on a tab.
    function follow() {
        const element = document.getElementById(location.hash.slice(1)); // ids have no escapes
        const index = element === null ? -1 : panels.findIndex((one) => one.contains(element));
        if (index < 0) {
            return;
        }
        choose(index);
        for (let at = element; at !== null; at = at.parentElement) {
            if (at.tagName === "DETAILS") {
                at.open = true;
            }
        }
        if (element === panels[index]) {
            window.scrollTo(0, 0);
        } else {
            element.scrollIntoView();
        }
    }

    function go(index) {
        history.pushState(null, "", tabs[index].hash);
        choose(index);
        window.scrollTo(0, 0);
    }

    tabs.forEach((tab, index) => {
        tab.addEventListener("click", (event) => {
            event.preventDefault();
            go(index);
        });
        tab.addEventListener("keydown", (event) => {
            const to = {ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1,
                ArrowLeft: index - 1, Home: 0, End: tabs.length - 1}[event.key];
            if (to !== undefined) {
                event.preventDefault();
                const next = (to + tabs.length) % tabs.length;
                go(next);
                tabs[next].focus();
            }
        });
    });
    window.addEventListener("hashchange", follow);
    window.addEventListener("popstate", () => location.hash ? follow() : choose(0));

    // Shows all tabs below each other, with all groups open; in print only what is open, without
    // tabs that are documents of their own, unless such a tab is chosen: it is printed alone.
    // Returns a function that undoes this.
    function showAll() {
        const closed = [...document.querySelectorAll("main details:not([open])")];
        const before = chosen;
        const isDocument = (panel) => panel.classList.contains("in-order");
        if (isDocument(panels[chosen])) {
            return () => {};
        }
        root.classList.toggle("print", printing);
        panels.forEach((panel) => {
            panel.hidden = printing && isDocument(panel);
        });
        closed.forEach((one) => {
            one.open = !printing;
        });
        return () => {
            root.classList.remove("print");
            closed.forEach((one) => {
                one.open = false;
            });
            choose(before);
        };
    }

    function build() {
        const all = [...document.querySelectorAll("script.figure")].map((script) =>
            figureElement(JSON.parse(script.textContent), script.nextElementSibling.textContent));
        linkFindings(all);
        const lists = panels.map((panel, index) => {
            const list = fillPanel(panel, all.filter(({figure}) =>
                panelOf(figure.section || "") === index));
            list.dataset.panel = index;
            return list;
        });
        document.getElementById("contents").append(make("details",
            {open: window.innerWidth >= 1100},
            make("summary", {}, tabs.length > 0 ? "On this tab" : "Contents"), ...lists));
        choose(0);
        return all;
    }

    // Links each finding to the first figure of its bench, or of a bench that its text names.
    function linkFindings(all) {
        for (const line of document.querySelectorAll(".findings li")) {
            const name = (line.dataset.bench || /\bbench ([a-z0-9_]+)/.exec(line.textContent)?.[1] ||
                "-").replaceAll("_", "-");
            const one = all.find(({figure, element}) => !isKey(figure) && !element.hidden &&
                (figure.id === name || figure.id.startsWith(name + "-")));
            const text = line.querySelector("span");
            if (one !== undefined) {
                one.isNamed = true;
                text.replaceChildren(make("a", {href: "#" + one.figure.id}, text.textContent));
            }
        }
    }

    function isDark() {
        return root.style.colorScheme ? root.style.colorScheme === "dark"
            : window.matchMedia("(prefers-color-scheme: dark)").matches;
    }

    function recolour() {
        palette.clear();
        document.getElementById("theme").textContent = isDark() ? "light" : "dark";
        for (const view of views.values()) {
            view.recolour?.();
        }
    }

    function setTheme(name) {
        root.style.colorScheme = name;
        recolour();
    }

    const figures = build();

    function drawAll() {
        const restore = showAll();
        figures.filter(({element}) => element.checkVisibility()).forEach(({figure, box}) => draw(figure, box));
        return restore;
    }

    const observer = new IntersectionObserver((entries) => {
        for (const entry of entries.filter((one) => one.isIntersecting)) {
            const one = figures.find(({element}) => element === entry.target);
            observer.unobserve(entry.target);
            draw(one.figure, one.box);
        }
    }, {rootMargin: "400px"});
    figures.forEach(({element}) => observer.observe(element));

    document.getElementById("theme").addEventListener("click", () => {
        setTheme(isDark() ? "light" : "dark");
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    let themeBeforePrint;
    let restoreTabs = () => {};
    window.addEventListener("beforeprint", () => {
        themeBeforePrint = root.style.colorScheme;
        printing = true;
        restoreTabs = drawAll();
        setTheme("light");
        for (const view of views.values()) {
            view.showAll?.();
            view.resize?.();
        }
    });
    window.addEventListener("afterprint", () => {
        printing = false;
        views.forEach((view) => view.resize?.());
        restoreTabs();
        setTheme(themeBeforePrint);
    });
    recolour();
    if (location.hash) {
        follow();
    }

    // for tests: draws all figures, and gives access to each
    window.tare = {
        drawAll,
        tabs: () => tabs.length,
        choose,
        view: (id) => views.get(id),
        views: () => [...views.entries()],
        colour,
    };
})();
