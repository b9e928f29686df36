# SPDX-License-Identifier: BSD-2-Clause

# What each page holds; the assembler does not report what it includes.
needs.page_assets = $(UPLOT_FILES) $(wildcard tools/figure/page/*)
