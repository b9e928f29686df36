/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The response-time model (Shub, "On Determining the Distribution of Software Response Times"):
 * what competes for processors, and the way of the stimuli whose responses are asked for. Read from
 * the paper's five-part input (section 4.1) or from a text with names (grammar: README.md here).
 *
 * Processors run entities: processes, and competing quanta, each of which is an entity for as long
 * as it lasts. Each entity has a processor and a level; every processor has one ready list of
 * entities a level, first come first served. The most urgent level that has any runs; who is
 * preempted goes to the head of its list, with the work that remains. A process has one queue of
 * stimuli, first come first served, is in the ready list once however many wait for it, and keeps
 * the processor until its queue is empty (enum sim_discipline has the others). At the end of a
 * portion a stimulus is first sent on, then the process goes on; only a more urgent receiver on the
 * same processor runs at once.
 *
 * Stations are devices: several servers with one queue, first come first served. Who is there needs
 * no processor, has no level, and is never preempted.
 *
 * All times are in the model's own unit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sim/model/law.h"

#define SIM_LEVELS_MAX     30 /* as many as the kernel has for threads */
#define SIM_PROCESSORS_MAX 64
#define SIM_STATIONS_MAX   64
#define SIM_SERVERS_MAX    10000 /* of a station */
#define SIM_POPULATION_MAX 10000 /* of a stimulus */
#define SIM_NONE           SIZE_MAX

/* When a process gives the processor to others of its level (section 3.3 of the paper). */
enum sim_discipline {
    SIM_EXHAUSTIVE,     /* when its queue is empty: the paper's */
    SIM_ONE_A_TURN,     /* after each stimulus: sends it on, then gets in line again */
    SIM_REQUEUE_BEFORE, /* after each stimulus: gets in line again, then sends it on */
    SIM_DISCIPLINES,
};
/* As in a model's text: "exhaustive". */
extern const char *const sim_discipline_names[SIM_DISCIPLINES];

enum sim_arrival_kind {
    SIM_RENEWAL, /* independent intervals by a law: exponential ones are Poisson arrivals */
    SIM_TRACE,   /* at given times, then never again */
    SIM_CYCLE,   /* stimuli only: a fixed delay after the pass before has ended */
    /* Stimuli only: of so many customers, each comes when it has thought, from the begin and after
     * each of its passes. */
    SIM_POPULATION,
};

struct sim_arrivals {
    enum sim_arrival_kind kind;
    struct sim_law interval; /* RENEWAL; CYCLE: the delay, a constant; POPULATION: thinking */
    size_t population;       /* POPULATION: customers, 1 or more */
    double *times;           /* TRACE: ascending, from 0; its own */
    size_t count;
    bool fixed; /* the model names the kind itself: sim_model_arrive() leaves it */
};

/* Competing work at one level of one processor: quanta that arrive by themselves. */
struct sim_load {
    char *name;
    size_t processor;
    size_t level;
    struct sim_arrivals arrivals;
    struct sim_law service;
    /* As the model gives it: of the whole level, the stimuli's part included (the paper's), or of
     * this load alone. `own` is what remains for the load: mean service / mean interval. */
    double occupancy;
    bool is_total;
    double own;  /* 0 of arrivals at given times, which end */
    size_t line; /* of the text */
};

struct sim_process {
    char *name;
    size_t processor;
    size_t level;
};

/* Servers that share one queue. */
struct sim_station {
    char *name;
    size_t servers; /* 1 or more */
};

/* A portion of a stimulus's work. */
struct sim_stop {
    size_t process;   /* SIM_NONE: as a quantum among the competing ones of (processor, level) */
    size_t processor; /* the process's, or its own */
    size_t level;     /* likewise */
    /* Without a process: served by one of the first `among` processors, which is drawn anew for
     * each pass, all with the same probability (section 3.6); 0: by `processor`. */
    size_t among;
    size_t station; /* at this station, from 1 on, and on no processor; 0: at none */
    struct sim_law service;
    /* The process then waits for this stimulus alone to come back; others stay queued (section
     * 3.1 item 5). The next stop but one is at the same process. */
    bool awaits;
};

struct sim_stimulus {
    char *name;
    struct sim_arrivals arrivals;
    struct sim_stop *stops;
    size_t stop_count; /* 1 or more */
    double work;       /* sum of the mean services */
    /* Expected mean time from one to the next: of a CYCLE delay + work + what it is estimated to be
     * delayed by. INFINITY of a TRACE, which ends; NAN of a POPULATION: that depends on all waits.
     */
    double between;
    size_t line; /* of the text */
};

/* What the machine itself takes, beside the work. All 0: the paper's model. Measured ones come from
 * a run (program.h). */
struct sim_overhead {
    /* Each arrival by a device or timer takes the processor for so long, above all levels, one
     * after the other; then the entity is in line. Its wait counts from the arrival. */
    double interrupt;
    /* Each time that a processor goes over to another entity than ran before (idle is one), to
     * begin or to go on: work of that entity, before its own. */
    double switching;
    double receive; /* before each portion of a process or quantum */
    double portion; /* in each portion, beside its work */
    double send;    /* after each portion that is sent on, before the receiver is ready */
    /* After each portion, and after it is sent on, until who served it can let go of the processor:
     * work at its level. */
    double end;
};

enum sim_overhead_part {
    SIM_OVERHEAD_INTERRUPT,
    SIM_OVERHEAD_SWITCH,
    SIM_OVERHEAD_RECEIVE,
    SIM_OVERHEAD_PORTION,
    SIM_OVERHEAD_SEND,
    SIM_OVERHEAD_END,
    SIM_OVERHEAD_PARTS,
};
/* As in a model's text: "interrupt". */
const char *sim_overhead_name(enum sim_overhead_part part);
double *sim_overhead_part(struct sim_overhead *overhead, enum sim_overhead_part part);
/* Does the machine take anything at all? */
bool sim_overhead_any(const struct sim_overhead *overhead);

/* The parts of an overall response (section 2 of the paper). */
enum sim_delay_part {
    SIM_DELAY_ARRIVAL,
    SIM_DELAY_DEPARTURE,
    SIM_DELAY_TRANSMISSION,
    SIM_DELAY_PROCESSING,
    SIM_DELAY_CONTENTION,
    SIM_DELAY_PARTS,
};
/* "arrival", ... */
extern const char *const sim_delay_names[SIM_DELAY_PARTS];

/* One law of a delay, independent of all others. A part may have several, each with its
 * probability. */
struct sim_delay {
    enum sim_delay_part part;
    double probability; /* those of a part add to 1 */
    size_t times;       /* so many of them, independent; the same for all laws of a part */
    struct sim_law law;
};
#define SIM_DELAY_TIMES_MAX 1000

struct sim_model {
    char *name;      /* of the file */
    uint64_t passes; /* of the first stimulus in one replication; 0 where there is no stimulus */
    double unit_ns;  /* length of one time unit on a real machine */
    bool is_paper;   /* five-part input */
    bool is_copy;    /* owns its list of loads alone */
    size_t levels;
    char *level[SIM_LEVELS_MAX]; /* names; 0 is the least urgent */
    size_t processors;
    char *processor[SIM_PROCESSORS_MAX];
    struct sim_load *loads;
    size_t load_count;
    struct sim_process *processes;
    size_t process_count;
    struct sim_station *stations;
    size_t station_count;
    struct sim_stimulus *stimuli;
    size_t stimulus_count;
    enum sim_discipline discipline;
    struct sim_law transmission; /* to a process on another processor; constant 0: none */
    struct sim_overhead overhead;
    /* The paper's bookkeeping for the first stimulus, where it cycles (sections 4.2):
     * delay_estimate = work * occupancy / (1 - occupancy), delay = delay_factor * (work +
     * delay_estimate), cycle = delay + work + delay_estimate. */
    /* Of a model that is a sum of delays, without loads and stimuli. */
    struct sim_delay *delays;
    size_t delay_count;
    double delay_factor; /* 4 unless the model sets it: the paper does not state it */
    double delay_estimate;
    double cycle;
};

struct sim_model_error {
    size_t line; /* from 1; 0: of the whole */
    char text[SIM_LAW_ERROR_MAX];
};

/* "occupancy.low" = 0.3 in place of the value in the text (--set). Names: occupancy.LEVEL (or
 * occupancy.LEVEL.PROCESSOR), occupancy (of each processor's loads all by the same factor, so that
 * their sum is the value), passes, unit (ns), delay, delay.factor, scale.LEVEL (services of its
 * loads; all arrivals and delays stay as they were), work.STIMULUS, overhead.interrupt .switch
 * .receive .portion .send .end, population.STIMULUS, think.STIMULUS (the mean), servers.STATION. An
 * occupancy of 0 takes the load out: it has no arrivals. */
struct sim_setting {
    const char *name;
    double value;
    bool if_missing; /* passes: only where the text has none */
};

/* Reads a model, whichever form it has, and refuses nonsense: occupancies of a processor that add
 * to 1 or more, an average above the maximum, a tail that cannot be, lengths below 0, unknown
 * levels, lines that are missing, empty series, routes that no processor can bear. `folder`: where
 * files that it names are looked for. False: *error has line and reason, *model is empty. */
bool sim_model_read(struct sim_model *model, const char *text, size_t length, const char *folder,
                    const struct sim_setting *settings, size_t setting_count,
                    struct sim_model_error *error);
/* The same of a file; "-" is standard input. */
bool sim_model_load(struct sim_model *model, const char *path, const struct sim_setting *settings,
                    size_t setting_count, struct sim_model_error *error);
/* Loads that can be given other arrivals (sim_model_arrive()); all else is that of `from`, which is
 * to be freed behind the copy. */
void sim_model_copy(struct sim_model *to, const struct sim_model *from);
void sim_model_free(struct sim_model *model);

enum sim_column {
    SIM_POISSON_ARRIVALS, /* exponential intervals */
    SIM_UNIFORM_ARRIVALS, /* uniform on [0, 2 mean] */
};
/* Gives all loads, but those that name their own, one kind of arrivals of the same rate. */
void sim_model_arrive(struct sim_model *model, enum sim_column column);

/* Share of a processor's time that work takes, of all loads and stimuli at `level` (SIM_NONE: at
 * all): what is expected, where the stimuli cycle as the bookkeeping estimates. Without overheads.
 * NAN where a population works there.
 */
double sim_model_occupancy(const struct sim_model *model, size_t processor, size_t level);

/* The model as text of the grammar with names, every number as it is in force, values of files
 * within it: reading it gives the same model except name and is_paper. The caller frees it.
 */
char *sim_model_text(const struct sim_model *model);

/* The same of the servers of a station, from 0 on. */
double sim_model_station_share(const struct sim_model *model, size_t station);

/* The servers of a station that a stimulus keeps busy; NAN: unknown, as of a population. */
double sim_stimulus_servers(const struct sim_stimulus *stimulus, size_t station);

/* The place of the item of that name, of `count` of `size` bytes each that begin with a pointer to
 * it; SIM_NONE: none has it. */
size_t sim_find(const void *items, size_t count, size_t size, const char *name);

/* The part of its visits that a stop makes to a processor. */
double sim_stop_part(const struct sim_stop *stop, size_t processor);

/* The part of a processor's time that it takes at `level` (SIM_NONE: at all), once settled; NAN:
 * unknown, as it is of a population. */
double sim_stimulus_share(const struct sim_stimulus *stimulus, size_t processor, size_t level);

/* Gives arrivals independent intervals of that mean. */
void sim_arrivals_of(struct sim_arrivals *arrivals, enum sim_column column, double interval);
void sim_load_free(struct sim_load *load);
