# SPDX-License-Identifier: BSD-2-Clause
#
# kcidb_check.py REPORT.json: is it a report as KCIDB's schema 5.3 has it? Prints "path status value" of
# each test.
#
# With KCIDB_IO, a folder with kcidb-io (github.com/kernelci/kcidb-io), by the schema that it publishes; no
# package of Debian or of PyPI has it. Without, by what that schema demands of the fields that tare writes.
import json
import os
import sys

import jsonschema

TEXT = {'type': 'string', 'pattern': r'^[^\0]*$'}
ID = {'type': 'string', 'pattern': r'^[a-z0-9_]+:[^\0]*$'}
ORIGIN = {'type': 'string', 'pattern': r'^[a-z0-9_]+$'}
STATUS = {'enum': ['FAIL', 'ERROR', 'MISS', 'PASS', 'DONE', 'SKIP']}


def items(required, **fields):
    fields = {'id': ID, 'origin': ORIGIN, 'comment': TEXT, 'misc': {'type': 'object'}, **fields}
    return {'type': 'array', 'items': {'type': 'object', 'required': ['id', 'origin', *required],
                                       'properties': fields, 'additionalProperties': False}}


FIELDS = {
    'type': 'object', 'required': ['version'], 'additionalProperties': False, 'properties': {
        'version': {'type': 'object', 'required': ['major'], 'additionalProperties': False, 'properties': {
            'major': {'const': 5}, 'minor': {'type': 'integer', 'minimum': 0, 'maximum': 3}}},
        'checkouts': items([], tree_name=TEXT, valid={'type': 'boolean'}),
        'builds': items(['checkout_id'], checkout_id=ID, status=STATUS,
                        architecture={'type': 'string', 'pattern': '^[a-z0-9_]*$'}),
        'tests': items(['build_id'], build_id=ID, status=STATUS, duration={'type': 'number'},
                       path={'type': 'string', 'pattern': r'^(|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*)$'},
                       environment={'type': 'object', 'properties': {'comment': TEXT},
                                    'additionalProperties': False},
                       number={'type': 'object', 'required': ['value'], 'additionalProperties': False,
                               'properties': {'value': {'type': 'number'}, 'unit': TEXT}})}}

with open(sys.argv[1], encoding='utf-8') as file:
    report = json.load(file)
schema = FIELDS
if os.environ.get('KCIDB_IO'):
    sys.path.insert(0, os.environ['KCIDB_IO'])
    from kcidb_io.schema import LATEST
    schema = LATEST.json
jsonschema.validate(report, schema, format_checker=jsonschema.FormatChecker())
ids = {part: [item['id'] for item in report[part]] for part in ('checkouts', 'builds', 'tests')}
assert all(len(set(part)) == len(part) for part in ids.values()), 'an id occurs twice'
assert all(build['checkout_id'] in ids['checkouts'] for build in report['builds'])
assert all(test['build_id'] in ids['builds'] for test in report['tests'])
for test in report['tests']:
    print(test['path'], test['status'], test.get('number', {}).get('value'))
