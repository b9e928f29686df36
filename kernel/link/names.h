/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the records on the line and of their fields. Each stands here once: image and host
 * include it.
 */
#pragma once

#include "kernel/link/records.def"

/* The key of a field of a record in records.def. Does not compile if the record has none. */
#define RECORD_KEY(record, field) ((void)KEY_##record##_##field, #field)

/* Records of a log. */
#define RECORD_TARE      "tare"
#define RECORD_RUN       "run"
#define RECORD_PLAN      "plan"
#define RECORD_MACHINE   "machine"
#define RECORD_SOURCE    "source"
#define RECORD_ESTIMATE  "estimate"
#define RECORD_VERDICT   "verdict"
#define RECORD_COUNTER   "counter"
#define RECORD_EVENT     "event"
#define RECORD_BENCH     "bench"
#define RECORD_PARAM     "param"
#define RECORD_EXPECT    "expect"
#define RECORD_FACT      "fact"
#define RECORD_ABSENT    "absent"
#define RECORD_BATCH     "batch"
#define RECORD_SERIES    "series"
#define RECORD_OBJECT    "object"
#define RECORD_TRACE     "trace"
#define RECORD_STATUS    "status"
#define RECORD_INPUT     "input"
#define RECORD_CRASH     "crash"
#define RECORD_FRAME     "frame"
#define RECORD_INTERRUPT "interrupt"
#define RECORD_ERROR     "error"
#define RECORD_END       "end"

/* In an ANSWER frame, no part of a run. */
#define RECORD_LIVE "live"

/* How the image's last line of text begins; the record `end` follows at once. */
#define TEXT_DONE "tare: done"

/* Requests of the host, and what answers. */
#define REQUEST_NAME_GET        "get"
#define REQUEST_NAME_STATUS     "status_request"
#define REQUEST_NAME_RATE       "rate"
#define REQUEST_NAME_RATE_CHECK "rate_check"
#define REQUEST_NAME_BYE        "bye"
#define REQUEST_NAME_HELLO      "hello"
#define RECORD_ANSWER           "answer"

/* Fields of records that hold samples or none of a run, and of requests. */
#define FIELD_BATCH        "batch"
#define FIELD_BAUD         "baud"
#define FIELD_BEGIN        "begin"
#define FIELD_BENCH        "bench"
#define FIELD_BYTES        "bytes"
#define FIELD_CODEC        "codec"
#define FIELD_CONTENT_CRC  "content_crc"
#define FIELD_COUNT        "count"
#define FIELD_CPU          "cpu"
#define FIELD_CRC          "crc"
#define FIELD_DISCARDED    "discarded"
#define FIELD_DPC_TRAIL    "dpc_trail"
#define FIELD_ELAPSED      "elapsed"
#define FIELD_END          "end"
#define FIELD_EVENT        "event"
#define FIELD_EXTENDED     "extended"
#define FIELD_FIRST        "first"
#define FIELD_FORMAT       "format"
#define FIELD_FRAMES       "frames"
#define FIELD_ISR_LEAD     "isr_lead"
#define FIELD_ISR_TRAIL    "isr_trail"
#define FIELD_KEPT         "kept"
#define FIELD_LARGEST      "largest"
#define FIELD_LARGEST_AT   "largest_at"
#define FIELD_LEAD         "lead"
#define FIELD_META         "meta"
#define FIELD_MODE         "mode"
#define FIELD_N            "n"
#define FIELD_NAME         "name"
#define FIELD_OCTAVES      "octaves"
#define FIELD_OF           "of"
#define FIELD_OK           "ok"
#define FIELD_ORIGIN       "origin"
#define FIELD_OVER         "over"
#define FIELD_OVERWRITTEN  "overwritten"
#define FIELD_PACKET_BYTES "packet_bytes"
#define FIELD_PART         "part"
#define FIELD_PASS         "pass"
#define FIELD_PROCESSOR    "processor"
#define FIELD_REASON       "reason"
#define FIELD_RECORD       "record"
#define FIELD_RECORDS_LOST "records_lost"
#define FIELD_SERIES       "series"
#define FIELD_SOURCE       "source"
#define FIELD_STATE        "state"
#define FIELD_STOLEN       "stolen"
#define FIELD_STREAM       "stream"
#define FIELD_SWITCH_TRAIL "switch_trail"
#define FIELD_TEXT         "text"
#define FIELD_TO           "to"
#define FIELD_TOTAL        "total"
#define FIELD_UNIT         "unit"
#define FIELD_VALUE        "value"
#define FIELD_VECTOR       "vector"

/* Values: FIELD_STATE of RECORD_INPUT, FIELD_FORMAT of a request, FIELD_ORIGIN. */
#define STATE_READY_FOR_INPUT "ready"
#define FORMAT_TEXT           "text"
#define ORIGIN_PLAN           "plan"
#define ORIGIN_DEFAULT        "default"
#define ORIGIN_FOUND          "found"

/* For RECORD_KEY(). */
/* clang-format off */
#define KEY_OF(record, name, column, type, need, meaning) KEY_##record##_##name,
enum record_key {
    SOURCE_FIELDS(KEY_OF) ESTIMATE_FIELDS(KEY_OF) VERDICT_FIELDS(KEY_OF) COUNTER_FIELDS(KEY_OF)
    EVENT_FIELDS(KEY_OF) BENCH_FIELDS(KEY_OF) STATUS_FIELDS(KEY_OF) EXPECT_FIELDS(KEY_OF)
    PARAM_FIELDS(KEY_OF) FACT_FIELDS(KEY_OF) ABSENT_FIELDS(KEY_OF) OBJECT_FIELDS(KEY_OF)
    FRAME_FIELDS(KEY_OF) INTERRUPT_FIELDS(KEY_OF)
};
#undef KEY_OF
/* clang-format on */
