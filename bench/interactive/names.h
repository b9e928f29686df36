/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that interactive benches publish and the host looks up. Each is defined only here, and both
 * the image and the host include this file.
 */
#pragma once

/* The bench group, and bench model. */
#define GROUP_INTERACTIVE "interactive"
#define BENCH_MODEL       "model"

/* Parameter of click and click_busy: keep the processor while the button is held. */
#define PARAM_BUSY_WAIT "busy_wait"

/* Series with an element for each input. */
#define SERIES_PHASE "phase"
#define SERIES_COLD  "cold"
/* The script's action that the input belongs to (a number within its phase, from 0), and the class
 * of that action: enum script_class (kernel/input/script.h), or from SCRIPT_CLASSES on a class that
 * the script itself defines. The names of the latter are found texts FOUND_CLASS.NUMBER. */
#define SERIES_ACTION "action"
#define SERIES_CLASS  "class"
#define FOUND_CLASS   "class"

/* Published by the host, from the rows of QEMU's plugin (tools/qemu/join.h): when an event arrived,
 * ended, or was followed by a call for a message; series SERIES_COUNTED_AT.EVENT have what was
 * counted since the bench began. */
#define SERIES_COUNTED_AT "counted_at"

/* Tasks: series SERIES_SCREEN.PHASE (screen_runs.h), and facts FACT.PHASE for each phase. */
#define SERIES_SCREEN        "screen"
#define FACT_SCREEN_CHECKSUM "screen_checksum"
/* checksum of the document that a task produced */
#define FACT_DOCUMENT_CHECKSUM "document_checksum"
#define FACT_SCRIPT_CHECKSUM   "script_checksum" /* the same checksum of what the script types */
#define FACT_SCRIPT_LENGTH     "script_length"
#define FACT_ELAPSED           "elapsed"
#define FACT_BUSY              "busy"

/* Windows: series SERIES_DRAW.STRUCTURE holds the ticks of each repetition of the same drawing. */
#define SERIES_DRAW "draw"

/* Series with an element for each stamp of the application. */
#define SERIES_STAMP_NUMBER "stamp_number"
#define SERIES_STAMP_FROM   "stamp_from"
#define SERIES_STAMP_TO     "stamp_to"

/* Slides: names of its long actions, which are classes of its script. Series SERIES_ASKED.ACTION
 * and SERIES_ASKED.FACT_MISS list the pages read, the latter those that no action reads. Fact
 * FACT_WARM.ACTION.PHASE is the ticks of the action when everything that it reads is resident.
 * FACT_MISS and FACT_HIT are the ticks of reading the pages that no action reads, first while none
 * is resident and then while all are. */
#define ACTION_NAME_START  "start"
#define ACTION_NAME_OPEN   "open"
#define ACTION_NAME_EDIT_1 "start_edit_1"
#define ACTION_NAME_EDIT_2 "start_edit_2"
#define ACTION_NAME_EDIT_3 "start_edit_3"
#define ACTION_NAME_SAVE   "save"
#define SERIES_ASKED       "asked"
#define FACT_WARM          "warm"
#define FACT_DISK_OPENED   "disk_opened" /* TSC when the phase opened the disk */
#define FACT_MISS          "miss"
#define FACT_HIT           "hit"

/* Facts of each phase of slides, page_down and object_edit: ticks of FLUSH_TIMES flushes of one
 * request, and of as many flushes of a full batch; the flushes and drawn requests of the last page
 * down or start of an edit session. */
#define BENCH_PAGE_DOWN     "page_down"
#define BENCH_OBJECT_EDIT   "object_edit"
#define CLASS_START_EDIT    "start_edit"
#define FACT_FLUSH_ONE      "flush_one"
#define FACT_FLUSH_FULL     "flush_full"
#define FACT_ROUND_FLUSHES  "round_flushes"
#define FACT_ROUND_REQUESTS "round_requests"
#define FLUSH_TIMES         64
#define FLUSH_FULL          32

/* Trace mark with an input's number: that input has had its effect, although no input_done reports
 * it. */
#define MARK_NAME_EFFECT "effect"

/* Trace mark that ends a phase: from here to the mark that starts the next phase, the bench works
 * for itself, and no user is there. */
#define MARK_NAME_OVER "over"

/* Phases, parameters and facts of longevents. The fact of a phase is FACT_LONG.PHASE. */
#define PHASE_RANDOM   "random"
#define PHASE_PERIODIC "periodic"
#define PARAM_EVERY    "every"
#define PARAM_SHORT_US "short_us"
#define PARAM_LONG_US  "long_us"
#define FACT_LONG      "long"

/* Facts of maximize. */
#define FACT_CLOCK_PERIOD "clock_period"
#define FACT_CLOCK_ORIGIN "clock_origin"

/* Model: series RESPONSE or RESPONSE.STIMULUS, and WAIT.LEVEL or WAIT.LEVEL@PROCESSOR; trace marks,
 * a parameter and facts. */
#define SERIES_RESPONSE "response"
#define SERIES_WAIT     "wait"
/* Prefixes to the name of such a series, for a simulated run that keeps only the first values.
 * WORST and WORST_AT are series of the largest of the remaining values and their times. The others
 * are facts: UNKEPT is the number of values after the kept ones, LARGEST and LARGEST_AT the largest
 * of all values and its time, REST and REST_SUM the number and the sum of the values that are in
 * neither series. */
#define PREFIX_WORST       "worst."
#define PREFIX_WORST_AT    "worst_at."
#define PREFIX_UNKEPT      "unkept."
#define PREFIX_LARGEST     "largest."
#define PREFIX_LARGEST_AT  "largest_at."
#define PREFIX_REST        "rest."
#define PREFIX_REST_SUM    "rest_sum."
#define MARK_NAME_STIMULUS "stimulus"
#define MARK_NAME_RESPONSE "response"
#define PARAM_PROGRAM      "program"
#define FACT_UNIT          "unit"
#define FACT_PASSES        "passes"
#define FACT_SEED          "seed"

/* Model: series of what the kernel's part of each step costs. */
#define SERIES_COST_EMPTY        "cost.empty"
#define SERIES_COST_INTERRUPT    "cost.interrupt"
#define SERIES_COST_PREEMPT      "cost.preempt"
#define SERIES_COST_FORWARD      "cost.forward"
#define SERIES_COST_FORWARD_UP   "cost.forward_up"
#define SERIES_COST_FORWARD_BACK "cost.forward_back"
#define SERIES_COST_FORWARD_DOWN "cost.forward_down"
#define SERIES_COST_BEGIN        "cost.begin"
#define SERIES_COST_NEXT         "cost.next"
#define SERIES_COST_REMOTE       "cost.remote"
/* How long the handlers ran whose effect these costs contain. */
#define SERIES_COST_INTERRUPT_HANDLER "cost.interrupt_handler"
#define SERIES_COST_PREEMPT_HANDLER   "cost.preempt_handler"
#define SERIES_COST_BEGIN_HANDLER     "cost.begin_handler"
/* ticks that the handler of each arrival ran, during the run */
#define SERIES_HANDLER "handler"
