# SPDX-License-Identifier: BSD-2-Clause
#
# parquet_rows.py RUN.db: the rows of a run file by SQLite, in the form of parquet_rows.mjs.
import json
import sqlite3
import struct
import sys

db = sqlite3.connect(sys.argv[1])
db.text_factory = lambda text: text.decode('utf-8', 'replace')


def cell(value):
    if value is None:
        return '∅'
    if isinstance(value, float):
        return '%x' % struct.unpack('<Q', struct.pack('<d', value))[0]
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


def missing(text):
    """The indices that did not arrive."""
    for part in (text or '').split(','):
        if part:
            first, _, last = part.partition('..')
            yield from range(int(first), int(last or first) + 1)


files = {}
for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
    if name == 'piece':
        continue
    columns = [row[1] for row in db.execute(f'PRAGMA table_info("{name}")') if row[2] != 'BLOB']
    quoted = ', '.join(f'"{column}"' for column in columns)
    files[name] = db.execute(f'SELECT {quoted} FROM "{name}" ORDER BY rowid').fetchall()
files['sample'] = rows = []
for bench, run, name, n, gone, blob in db.execute(
        'SELECT bench, pass, name, n, missing, samples FROM series ORDER BY rowid'):
    values = iter(struct.unpack(f'<{len(blob) // 8}q', blob))
    lost = set(missing(gone))
    rows += [(bench, run, name, i, None if i in lost else next(values)) for i in range(n)]
for name in sorted(files):
    print(f'={name}.parquet')
    for row in files[name]:
        print('\t'.join(cell(value) for value in row))
