/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Closed stations: so many customers think, each for an exponential time, and are then served by
 * the first of several servers that is free, first come first served. (Machines that run until they
 * fail, and repairmen.) Times are in one unit, means above 0.
 */
#pragma once

#include <stddef.h>

#include "tools/sim/model/law.h"

/* Mean response, wait and service, of exponential services: a birth and death process. */
double repairmen_response(size_t customers, size_t servers, double service, double think);

/* P(response > t) of it. A customer who arrives finds the others as if they were alone (Sevcik and
 * Mitrani, "The distribution of queuing network states at input and output instants", JACM 28(2),
 * 1981). */
double repairmen_beyond(size_t customers, size_t servers, double service, double think, double t);

/* Mean response of one server whose services have any law, M/G/1//N (Takács, "Introduction to the
 * Theory of Queues", 1962, chapter 5). A station of several servers with constant services has no
 * such formula: it is simulated (tools/sim/engine/closed.h). */
double repairman_response(size_t customers, const struct sim_law *service, double think);
