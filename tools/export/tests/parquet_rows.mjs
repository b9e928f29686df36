// SPDX-License-Identifier: BSD-2-Clause
//
// node parquet_rows.mjs READERS hyparquet|duckdb FILE.parquet...
//
// Prints "=FILE" and the rows of each file by a reader that is not ours: a line a row, cells parted by
// tabs; texts as JSON, doubles by their 64 bits, what is null as ∅.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [readers, reader, ...files] = process.argv.slice(2)

// Of a double JavaScript may make an integer: the type of its column states what it is.
function cell(value, isReal) {
    if (value === null || value === undefined) {
        return '∅'
    }
    if (isReal) {
        const bits = new DataView(new ArrayBuffer(8))
        bits.setFloat64(0, Number(value))
        return bits.getBigUint64(0).toString(16)
    }
    return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

async function byHyparquet(file) {
    const { parquetReadObjects, parquetMetadata } = await import(
        pathToFileURL(join(readers, 'node_modules/hyparquet/src/index.js')))
    const bytes = readFileSync(file)
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const columns = parquetMetadata(buffer).schema.slice(1)
    const rows = await parquetReadObjects({ file: buffer })
    return rows.map(row => columns.map(column => cell(row[column.name], column.type === 'DOUBLE')))
}

async function byDuckdb(file, connection) {
    const result = await connection.runAndReadAll(
        `SELECT * FROM read_parquet('${file.replaceAll("'", "''")}')`)
    const types = result.columnTypes().map(String)
    return result.getRows().map(row => row.map((value, i) => cell(value, types[i] === 'DOUBLE')))
}

let connection
if (reader === 'duckdb') {
    const { DuckDBInstance } = createRequire(join(readers, 'x.js'))('@duckdb/node-api')
    connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()
}
for (const file of files) {
    const rows = connection ? await byDuckdb(file, connection) : await byHyparquet(file)
    process.stdout.write([`=${basename(file)}`, ...rows.map(row => row.join('\t')), ''].join('\n'))
}
