# SPDX-License-Identifier: BSD-2-Clause

# Programs that shell tests use, and what they share.
programs := wire_sizes ask_image frame_storm fake_image lossy_proxy big_log long_log corrupt_log demo_page screen_text trace_run screen_run png_grey
libs.png_grey := -lpng
