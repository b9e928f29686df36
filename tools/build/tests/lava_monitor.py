# SPDX-License-Identifier: BSD-2-Clause
#
# lava_monitor.py JOB.yaml LOG: validates the job by LAVA's own schema (Debian's lava-common), and prints
# what its action `monitors` would record of a serial log: "case result measurement units" a line.
#
# The rules are those of lava_dispatcher/actions/test/monitor.py of LAVA 2023.01: the start string, then
# the end or the pattern, whichever comes first; results other than pass, fail, skip and unknown are
# errors. Each line is also read by the expression that its shell action has for signals
# (actions/test/shell.py), which must agree.
import re
import sys

import yaml
from lava_common.schemas import validate

with open(sys.argv[1], encoding='utf-8') as file:
    job = yaml.safe_load(file)
validate(job, strict=True)
with open(sys.argv[2], encoding='latin-1', newline='') as file:
    log = file.read()
monitor = next(a['test']['monitors'][0] for a in job['actions'] if 'test' in a)
signal = re.compile(r'<LAVA_SIGNAL_(\S+) ([^>]+)>')

start = re.search(monitor['start'], log)
if start is None:
    sys.exit('no start string')
at = start.end()
while True:
    end = re.compile(monitor['end']).search(log, at)
    case = re.compile(monitor['pattern']).search(log, at)
    if case is None or (end is not None and end.start() < case.start()):
        if end is None:
            sys.exit('no end string')
        break
    at = case.end()
    groups = case.groupdict()
    result = monitor['fixupdict'].get(groups['result'], groups['result'])
    if result not in ('pass', 'fail', 'skip', 'unknown'):
        sys.exit(f'bad result: {case.group()}')
    name, fields = signal.fullmatch(case.group()).groups()
    parted = dict(field.split('=', 1) for field in fields.split())
    if name != 'TESTCASE' or parted['TEST_CASE_ID'] != groups['test_case_id'] or \
            parted.get('MEASUREMENT') != groups['measurement']:
        sys.exit(f'a signal that reads otherwise: {case.group()}')
    if groups['measurement'] is not None:
        float(groups['measurement'])
    print(groups['test_case_id'], result, groups['measurement'], groups['units'])
