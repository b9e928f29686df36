/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that interactive benches publish and the host looks up. Each stands here once: image and
 * host include it.
 */
#pragma once

/* The group, and bench model. */
#define GROUP_INTERACTIVE "interactive"
#define BENCH_MODEL       "model"

/* Parameter of click and click_busy: the application keeps the processor while the button is held.
 */
#define PARAM_BUSY_WAIT "busy_wait"

/* Series: an element for each input. */
#define SERIES_PHASE "phase"
#define SERIES_COLD  "cold"
/* Which action of the script it belongs to (a number within its phase, from 0), and of which class
 * that is: enum script_class (kernel/input/script.h); from SCRIPT_CLASSES on the script's own,
 * whose names are found texts FOUND_CLASS.NUMBER. */
#define SERIES_ACTION "action"
#define SERIES_CLASS  "class"
#define FOUND_CLASS   "class"

/* Of tasks: series SERIES_SCREEN.PHASE (screen_runs.h), and facts of each phase, FACT.PHASE. */
#define SERIES_SCREEN          "screen"
#define FACT_SCREEN_CHECKSUM   "screen_checksum"
#define FACT_DOCUMENT_CHECKSUM "document_checksum" /* a task's result */
#define FACT_SCRIPT_CHECKSUM   "script_checksum"   /* what the script types; the same for it */
#define FACT_SCRIPT_LENGTH     "script_length"
#define FACT_ELAPSED           "elapsed"
#define FACT_BUSY              "busy"

/* Of windows: ticks of each drawing of the same, SERIES_DRAW.STRUCTURE. */
#define SERIES_DRAW "draw"

/* Series: an element for each stamp of the application. */
#define SERIES_STAMP_NUMBER "stamp_number"
#define SERIES_STAMP_FROM   "stamp_from"
#define SERIES_STAMP_TO     "stamp_to"

/* Of slides: names of its long actions, which are classes of its script; series
 * SERIES_ASKED.ACTION, and of the pages that nothing else reads SERIES_ASKED.FACT_MISS; facts
 * FACT_WARM.ACTION.PHASE: ticks of the action where all that it reads is resident; of reading those
 * pages while they are not resident, and while they are. */
#define ACTION_NAME_START  "start"
#define ACTION_NAME_OPEN   "open"
#define ACTION_NAME_EDIT_1 "start_edit_1"
#define ACTION_NAME_EDIT_2 "start_edit_2"
#define ACTION_NAME_EDIT_3 "start_edit_3"
#define ACTION_NAME_SAVE   "save"
#define SERIES_ASKED       "asked"
#define FACT_WARM          "warm"
#define FACT_DISK_OPENED   "disk_opened" /* of each phase: the TSC then */
#define FACT_MISS          "miss"
#define FACT_HIT           "hit"

/* Of slides, page_down and object_edit, facts of each phase: ticks of 64 flushes of one request,
 * and of as many of a full batch; flushes and drawn requests of the last page down, or of the last
 * begin of an edit session. */
#define BENCH_PAGE_DOWN     "page_down"
#define BENCH_OBJECT_EDIT   "object_edit"
#define CLASS_START_EDIT    "start_edit"
#define FACT_FLUSH_ONE      "flush_one"
#define FACT_FLUSH_FULL     "flush_full"
#define FACT_ROUND_FLUSHES  "round_flushes"
#define FACT_ROUND_REQUESTS "round_requests"
#define FLUSH_TIMES         64
#define FLUSH_FULL          32

/* Mark of the trace: an input, by its number, has had its effect, which no input_done reports. */
#define MARK_NAME_EFFECT "effect"

/* Phases, parameters and facts of longevents: FACT_LONG.PHASE. */
#define PHASE_RANDOM   "random"
#define PHASE_PERIODIC "periodic"
#define PARAM_EVERY    "every"
#define PARAM_SHORT_US "short_us"
#define PARAM_LONG_US  "long_us"
#define FACT_LONG      "long"

/* Facts of maximize. */
#define FACT_CLOCK_PERIOD "clock_period"
#define FACT_CLOCK_ORIGIN "clock_origin"

/* Of model: series RESPONSE or RESPONSE.STIMULUS, and WAIT.LEVEL@PROCESSOR; marks of the trace, a
 * parameter and facts. */
#define SERIES_RESPONSE "response"
#define SERIES_WAIT     "wait"
/* In front of the name of such a series of a simulated run that keeps only the first values: series
 * of the largest of the others and when they came; facts of how many came behind the first, of the
 * largest of all and when it came, and of number and sum of those that are in neither. */
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

/* Of model: series of what the kernel's part of each step costs. */
#define SERIES_COST_EMPTY        "cost.empty"
#define SERIES_COST_INTERRUPT    "cost.interrupt"
#define SERIES_COST_PREEMPT      "cost.preempt"
#define SERIES_COST_FORWARD      "cost.forward"
#define SERIES_COST_FORWARD_UP   "cost.forward_up"
#define SERIES_COST_FORWARD_BACK "cost.forward_back"
#define SERIES_COST_FORWARD_DOWN "cost.forward_down"
#define SERIES_COST_BEGIN        "cost.begin"
#define SERIES_COST_NEXT         "cost.next"
/* How long the handlers took whose effect these costs have. */
#define SERIES_COST_INTERRUPT_HANDLER "cost.interrupt_handler"
#define SERIES_COST_PREEMPT_HANDLER   "cost.preempt_handler"
#define SERIES_COST_BEGIN_HANDLER     "cost.begin_handler"
#define SERIES_HANDLER                "handler" /* of each arrival in the play */
