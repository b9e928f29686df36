/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Embeds the script and style that each page contains, as texts that end with a NUL: ours
 * (tools/figure/page/), and uPlot with its licence, which the Makefile copies from where
 * tools/build/npm.sh puts it.
 */

.macro asset name, file
    .global \name
    .type \name, @object
\name:
    .incbin "\file"
    .byte 0
    .size \name, . - \name
.endm

    .section .rodata

    asset page_report_js, tools/figure/page/report.js
    asset page_report_css, tools/figure/page/report.css
    asset page_uplot_js, build/uplot/uPlot.iife.min.js
    asset page_uplot_css, build/uplot/uPlot.min.css
    asset page_uplot_license, build/uplot/LICENSE

    .section .note.GNU-stack, "", @progbits
