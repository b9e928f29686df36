/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each page holds, as text that ends with a NUL: our own script and style (tools/figure/page/), and
 * uPlot with its licence, which the Makefile copies from where tools/build/uplot.sh has it.
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
