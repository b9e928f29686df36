-- SPDX-License-Identifier: BSD-2-Clause
-- Tables for the queries of claims (bench/interactive/paper/README.md), and how the rows of one bench are made of the
-- JSON that `tare show --json` writes of it. :bench is its name, :json its object, :ms the milliseconds of a tick.

-- nt351, nt40 and w95 are 1 for the structure that stands for that system of the paper, and otherwise NULL.
CREATE TABLE IF NOT EXISTS fact(bench, name, value);
CREATE TABLE IF NOT EXISTS phase(bench, number, phase, structure, driver, elapsed_ms, busy_ms,
    nt351 AS (iif(structure='server',1,NULL)), nt40 AS (iif(structure='in_kernel',1,NULL)),
    w95 AS (iif(structure='segmented',1,NULL)));
CREATE TABLE IF NOT EXISTS action(bench, number, phase, structure, driver, class, cold, begin_ms, idle_ms, call_ms,
    service_ms, response_ms, weighted_ms, disk_ms, disk_requests, instructions, loads, stores, misaligned,
    segment_loads, address_space_loads, dtlb_misses, itlb_misses,
    nt351 AS (iif(structure='server',1,NULL)), nt40 AS (iif(structure='in_kernel',1,NULL)),
    w95 AS (iif(structure='segmented',1,NULL)));
CREATE TABLE IF NOT EXISTS event(bench, phase, kind, cold, idle_ms, call_ms, service_ms, response_ms, stamps_ms,
    busy_ms);
CREATE TABLE IF NOT EXISTS busy(bench, phase, structure, begin_ms, length_ms, busy_ms,
    nt351 AS (iif(structure='server',1,NULL)), nt40 AS (iif(structure='in_kernel',1,NULL)),
    w95 AS (iif(structure='segmented',1,NULL)));
CREATE TABLE IF NOT EXISTS stair(bench, part, begin_ms, busy_ms);
CREATE TABLE IF NOT EXISTS machine(bench, machine, wait_ms, false_ms, missed_ms);

INSERT INTO fact SELECT :bench, key, value FROM json_each(:json,'$.facts');
INSERT INTO phase SELECT :bench, value->>'phase', value->>'name',
    nullif(substr(value->>'name',1,instr(value->>'name','.')-1),''),
    substr(value->>'name',instr(value->>'name','.')+1), (value->>'elapsed')*:ms, (value->>'busy')*:ms
    FROM json_each(:json,'$.interactive.phases');
INSERT INTO action SELECT :bench, row_number() OVER (PARTITION BY p.number, value->>'class' ORDER BY key), phase,
    structure, driver, value->>'class', coalesce(value->>'cold',0), (value->>'begin')*:ms, (value->>'idle')*:ms,
    (value->>'call')*:ms, (value->>'service')*:ms, (value->>'response')*:ms, (value->>'weighted_model')*:ms,
    (value->>'disk')*:ms, value->>'disk_requests', c->>'instructions', c->>'loads', c->>'stores', c->>'misaligned',
    c->>'segment-loads', c->>'address-space-loads', c->>'dtlb-misses', c->>'itlb-misses'
    FROM (SELECT key, value, value->'counts' AS c FROM json_each(:json,'$.interactive.actions'))
    LEFT JOIN phase AS p ON p.bench=:bench AND p.number=value->>'phase';
INSERT INTO event SELECT :bench, phase, value->>'kind', coalesce(value->>'cold',0),
    iif(value->>'shared',NULL,(value->>'elongation')*:ms), (value->>'called'-value->>'arrival')*:ms,
    (value->>'service')*:ms, (value->>'response')*:ms, (value->>'traditional')*:ms, (value->>'busy')*:ms
    FROM json_each(:json,'$.interactive.events')
    LEFT JOIN phase AS p ON p.bench=:bench AND p.number=value->>'phase';
INSERT INTO busy SELECT :bench, phase, structure, (value->>'at')*:ms, (value->>'length')*:ms, (value->>'busy')*:ms
    FROM json_each(:json,'$.idle') LEFT JOIN
        (SELECT phase, p.structure, min(begin_ms) AS from_ms, elapsed_ms FROM phase AS p JOIN action USING (bench, phase)
         WHERE bench=:bench GROUP BY phase)
    ON (value->>'at')*:ms BETWEEN from_ms AND from_ms+elapsed_ms;
INSERT INTO stair SELECT :bench, part, (value->>'begin')*:ms, (value->>'ticks')*:ms FROM
    (SELECT 'step' AS part, value FROM json_each(:json,'$.interactive.stairs.steps') UNION ALL
     SELECT key, value FROM json_each(:json,'$.interactive.stairs') WHERE key IN ('first','last'));
INSERT INTO machine SELECT :bench, key, (value->>'wait')*:ms, (value->>'false_wait')*:ms, (value->>'missed')*:ms
    FROM json_each(:json,'$.think_wait.machines');
