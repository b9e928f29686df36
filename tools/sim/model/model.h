/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The response-time model (Shub, "On Determining the Distribution of Software Response Times"):
 * what competes for processors, and the route of the stimuli whose responses are of interest. It is
 * read from the paper's five-part input (section 4.1) or from a text with names (grammar: README.md
 * here).
 *
 * Processors run entities: processes and competing quanta. A quantum is an entity as long as it
 * exists. Each entity has a processor and a level. Every processor has one ready list of entities
 * for each level, first come first served, and runs the most urgent level that is not empty. A
 * preempted entity goes to the head of its list, with its remaining work. A process has one queue
 * of stimuli, first come first served; it is in the ready list once, however many stimuli wait for
 * it, and keeps the processor until its queue is empty (enum sim_discipline has alternatives). At
 * the end of a portion, the stimulus is sent on first, and then the process continues; only a more
 * urgent receiver on the same processor runs at once.
 *
 * Stations are devices: several servers with one queue, first come first served. A stimulus at a
 * station needs no processor, has no level, and is never preempted.
 *
 * All times are in the model's unit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sim/model/law.h"

#define SIM_LEVELS_MAX     30 /* as many as the kernel has for threads */
#define SIM_PROCESSORS_MAX 64
#define SIM_STATIONS_MAX   64
#define SIM_SERVERS_MAX    10000 /* servers of a station */
#define SIM_POPULATION_MAX 10000 /* customers of a stimulus */
#define SIM_NONE           SIZE_MAX

/* When a process yields the processor to others of its level (section 3.3 of the paper). */
enum sim_discipline {
    SIM_EXHAUSTIVE,     /* when its queue is empty, as in the paper */
    SIM_ONE_A_TURN,     /* after each stimulus: sends it on, then goes to the end of the list */
    SIM_REQUEUE_BEFORE, /* after each stimulus: goes to the end of the list, then sends it on */
    SIM_DISCIPLINES,
};
/* Names in a model's text: "exhaustive". */
extern const char *const sim_discipline_names[SIM_DISCIPLINES];

enum sim_arrival_kind {
    SIM_RENEWAL, /* independent intervals with a law; exponential intervals are Poisson arrivals */
    SIM_TRACE,   /* at given times, then never again */
    SIM_CYCLE,   /* stimuli only: a fixed delay after the end of the previous pass */
    /* Stimuli only: there are `population` customers, and each arrives after thinking, at the start
     * and after each of its passes. */
    SIM_POPULATION,
};

struct sim_arrivals {
    enum sim_arrival_kind kind;
    /* RENEWAL: interval; CYCLE: the delay, a constant; POPULATION: thinking time */
    struct sim_law interval;
    size_t population; /* POPULATION: number of customers, 1 or more */
    double *times;     /* TRACE: ascending, from 0; owned by this struct */
    size_t count;
    /* the model states the kind explicitly, so that sim_model_arrive() does not change it */
    bool fixed;
};

/* Competing work at one level of one processor: quanta that arrive by themselves. */
struct sim_load {
    char *name;
    size_t processor;
    size_t level;
    struct sim_arrivals arrivals;
    struct sim_law service;
    /* Occupancy as given in the model: of the whole level, including the stimuli's share (as in the
     * paper), or only of this load. `own` is the part that remains for the load: mean service /
     * mean interval. */
    double occupancy;
    bool is_total;
    double own;  /* 0 for arrivals at given times, which end */
    size_t line; /* line in the text */
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
    size_t process;   /* process; SIM_NONE: runs like a competing quantum of (processor, level) */
    size_t processor; /* processor of the process, or of the portion */
    size_t level;     /* level of the process, or of the portion */
    /* Without a process: the portion is served by one of the first `among` processors, drawn anew
     * for each pass with equal probabilities (section 3.6); 0: by `processor`. */
    size_t among;
    size_t station; /* station, from 1, instead of a processor; 0: none */
    struct sim_law service;
    /* The process then waits only for this stimulus to come back, while others stay queued (section
     * 3.1 item 5). The stop after the next one is at the same process. */
    bool awaits;
};

struct sim_stimulus {
    char *name;
    struct sim_arrivals arrivals;
    struct sim_stop *stops;
    size_t stop_count; /* 1 or more */
    double deadline;   /* passes that take longer are counted; 0: none */
    double work;       /* sum of the mean services */
    /* Expected mean time between arrivals: for a CYCLE, delay + work + estimated waiting. INFINITY
     * for a TRACE, which ends; NAN for a POPULATION, because it depends on all waits. */
    double between;
    size_t line; /* line in the text */
};

/* Time that the machine itself takes, in addition to the work. All 0 in the paper's model. Measured
 * values come from a run (program.h). */
struct sim_overhead {
    /* Each arrival by a device or timer takes the processor for this time, above all levels, one
     * after the other; only then is the entity in its list. Its wait counts from the arrival. */
    double interrupt;
    /* Each time that a processor changes to another entity than it ran before (idle counts as one),
     * to begin or to continue: work of that entity, before its real work. */
    double switching;
    double receive; /* before each portion of a process or quantum */
    double portion; /* in each portion, in addition to its work */
    double send;    /* after each portion that is sent on, before the receiver is ready */
    /* After each portion, and after it was sent on, until its server can release the processor:
     * work at its level. */
    double end;
    /* Before a message to another processor is there, in addition to `transmission`. It takes no
     * processor's time. */
    double remote;
};

enum sim_overhead_part {
    SIM_OVERHEAD_INTERRUPT,
    SIM_OVERHEAD_SWITCH,
    SIM_OVERHEAD_RECEIVE,
    SIM_OVERHEAD_PORTION,
    SIM_OVERHEAD_SEND,
    SIM_OVERHEAD_END,
    SIM_OVERHEAD_REMOTE,
    SIM_OVERHEAD_PARTS,
};
/* Returns the name in a model's text: "interrupt". */
const char *sim_overhead_name(enum sim_overhead_part part);
double *sim_overhead_part(struct sim_overhead *overhead, enum sim_overhead_part part);
/* Returns whether any overhead is above 0. */
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
/* Names of the parts: "arrival", ... */
extern const char *const sim_delay_names[SIM_DELAY_PARTS];

/* One law of a delay, independent of all others. A part may have several laws, each with its
 * probability. */
struct sim_delay {
    enum sim_delay_part part;
    double probability; /* those of a part add to 1 */
    /* number of independent delays with this law; the same for all laws of a part */
    size_t times;
    struct sim_law law;
};
#define SIM_DELAY_TIMES_MAX 1000

struct sim_model {
    char *name; /* name of the file */
    /* passes of the first stimulus in one replication; 0 if there is no stimulus */
    uint64_t passes;
    double unit_ns; /* length of one time unit on a real machine */
    bool is_paper;  /* read from five-part input */
    bool is_copy;   /* owns only its list of loads */
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
    uint32_t nonpreemptive; /* a bit for each level whose work is not preempted once it runs */
    double slice;           /* time after which others of the level get the processor; 0: none */
    struct sim_law transmission; /* time to a process on another processor; constant 0: none */
    struct sim_overhead overhead;
    /* The paper's estimates for the first stimulus, if it cycles (section 4.2): delay_estimate =
     * work * occupancy / (1 - occupancy), delay = delay_factor * (work + delay_estimate), cycle =
     * delay + work + delay_estimate. */
    /* Delays, for a model that is a sum of delays, without loads and stimuli. */
    struct sim_delay *delays;
    size_t delay_count;
    double delay_factor; /* 4 unless the model sets it, because the paper does not state it */
    double delay_estimate;
    double cycle;
};

struct sim_model_error {
    size_t line; /* from 1; 0: the whole text */
    char text[SIM_LAW_ERROR_MAX];
};

/* A value that replaces the one in the text (--set), such as "occupancy.low" = 0.3. Names:
 * occupancy.LEVEL (or occupancy.LEVEL.PROCESSOR), occupancy (scales all loads of each processor by
 * the same factor, so that their sum is the value), passes, unit (ns), delay, delay.factor,
 * scale.LEVEL (services of its loads; all arrivals and delays keep their values), work.STIMULUS,
 * overhead.interrupt .switch .receive .portion .send .end .remote, population.STIMULUS,
 * think.STIMULUS (the mean), servers.STATION. An occupancy of 0 removes the load, because it has no
 * arrivals. */
struct sim_setting {
    const char *name;
    double value;
    bool if_missing; /* for passes: applies only if the text has none */
};

/* Reads a model in either form. Rejects invalid models: occupancies of a processor that add to 1 or
 * more, an average above the maximum, an impossible tail, lengths below 0, unknown levels, missing
 * lines, empty series, and routes that overload a processor. `folder` is where files named in the
 * text are looked for. On failure returns false, with line and reason in *error and an empty
 * *model. */
bool sim_model_read(struct sim_model *model, const char *text, size_t length, const char *folder,
                    const struct sim_setting *settings, size_t setting_count,
                    struct sim_model_error *error);
/* Does the same with a file; "-" is standard input. */
bool sim_model_load(struct sim_model *model, const char *path, const struct sim_setting *settings,
                    size_t setting_count, struct sim_model_error *error);
/* Copies a model so that its loads can be given other arrivals (sim_model_arrive()). Everything
 * else is shared with `from`, which must be freed after the copy. */
void sim_model_copy(struct sim_model *to, const struct sim_model *from);
void sim_model_free(struct sim_model *model);

enum sim_column {
    SIM_POISSON_ARRIVALS, /* exponential intervals */
    SIM_UNIFORM_ARRIVALS, /* uniform on [0, 2 mean] */
};
/* Gives all loads, except those that state their arrivals explicitly, one kind of arrivals with the
 * same rate. */
void sim_model_arrive(struct sim_model *model, enum sim_column column);

/* Returns the expected share of a processor's time taken by all loads and stimuli at `level`
 * (SIM_NONE: at all levels), if the stimuli cycle as estimated, without overheads. NAN if a
 * population is served there. */
double sim_model_occupancy(const struct sim_model *model, size_t processor, size_t level);

/* Returns the model as text of the grammar with names, with every number as currently set and
 * values of files included. Reading it gives the same model, except for name and is_paper. The
 * caller frees it. */
char *sim_model_text(const struct sim_model *model);

/* Returns the same share for the servers of a station, numbered from 0. */
double sim_model_station_share(const struct sim_model *model, size_t station);

/* Returns how many servers of a station a stimulus keeps busy, or NAN if unknown, as for a
 * population. */
double sim_stimulus_servers(const struct sim_stimulus *stimulus, size_t station);

/* Returns the index of the item with that name, or SIM_NONE. There are `count` items of `size`
 * bytes, each beginning with a pointer to its name. */
size_t sim_find(const void *items, size_t count, size_t size, const char *name);

/* Returns the fraction of a stop's visits that go to a processor. */
double sim_stop_part(const struct sim_stop *stop, size_t processor);

/* Returns the fraction of a processor's time that a stimulus takes at `level` (SIM_NONE: at all
 * levels), once the model is settled. NAN if unknown, as for a population. */
double sim_stimulus_share(const struct sim_stimulus *stimulus, size_t processor, size_t level);

/* Gives arrivals independent intervals with that mean. */
void sim_arrivals_of(struct sim_arrivals *arrivals, enum sim_column column, double interval);
void sim_load_free(struct sim_load *load);
