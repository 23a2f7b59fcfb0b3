// What people do with node-postgres.
'use strict'
const assert = require('assert')
const { Client } = require('pg')
const Cursor = require('pg-cursor')

const [host, port] = process.argv.slice(2)
const settings = { host, port, user: 'dba', password: 'dba', database: 'acme', application_name: 'pg', options: '-c work_mem=5MB -c statement_timeout=90s' }

async function connect() {
  const client = new Client(settings)
  await client.connect()
  return client
}

const expect = (code, promise) => assert.rejects(promise, (e) => e.code === code)

async function types(c) {
  await c.query('truncate things')
  const row = [1, "naïve 'quote' \\ 🙂", '12.50', new Date(Date.UTC(2020, 1, 29, 12)), Buffer.from([0, 1, 255]), ['a', null, 'c,d'], { k: [1, null] }, true, (2n ** 62n).toString(), 0.1]
  await c.query('insert into things values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', row)
  assert.equal((await c.query('select * from things where id = $1', [1])).rows[0].name, row[1])
  await c.query({ text: 'select id, big, ratio from things where id = $1', values: [1], binary: true })
  await c.query({ text: 'select id, name from things', rowMode: 'array' })
  // node-postgres sends one after the other, though all are asked for at once.
  await Promise.all(Array.from({ length: 58 }, (_, n) => c.query('insert into things (id, name) values ($1, $2)', [n + 2, `n${n}`])))
}

async function prepared(c) {
  for (let n = 1; n < 8; n++) await c.query({ name: 'by_id', text: 'select name from things where id = $1', values: [n] })
  await expect('42601', c.query({ name: 'wrong', text: 'selec $1', values: [1] }))
  await expect('22P02', c.query({ name: 'by_id', text: 'select name from things where id = $1', values: ['no number'] }))
}

async function pieces(c) {
  const cursor = c.query(new Cursor('select id, name from things where id > $1 order by id', [0]))
  let n = 0
  for (let rows; (rows = await cursor.read(7)).length; ) n += rows.length
  await cursor.close()
  assert.equal(n, 59)
  const half = c.query(new Cursor('select g from generate_series(1, 1000) g'))
  await half.read(10)
  await half.close()
}

async function errors(c) {
  await c.query('begin')
  await expect('22012', c.query('select 1/$1::int', [0]))
  await expect('25P02', c.query('select 1'))
  await c.query('rollback')
  await c.query('begin')
  await c.query('savepoint s')
  await expect('23505', c.query('insert into things (id) values (1)'))
  await c.query('rollback to savepoint s')
  await c.query('release savepoint s')
  await c.query('commit')
}

async function texts(c) {
  const notices = []
  c.on('notice', (n) => notices.push(n.severity))
  assert.equal((await c.query('select 1; select 2 as b; select 3 where false')).length, 3)
  await c.query('')
  await c.query("do $$ begin raise notice 'first'; raise warning 'second' using hint = 'a hint'; end $$")
  await c.query("set timezone = 'UTC'; reset timezone")
  assert.deepEqual(notices, ['NOTICE', 'WARNING'])
}

async function large(c) {
  assert.equal((await c.query("select repeat('x', 1048576) as x")).rows[0].x.length, 1 << 20)
  assert.equal((await c.query('select length($1) as n', ['y'.repeat(1 << 20)])).rows[0].n, 1 << 20)
  assert.equal((await c.query('select g, md5(g::text) from generate_series(1, $1::int) g', [5000])).rows.length, 5000)
}

async function notifications(c) {
  const heard = []
  const both = new Promise((resolve) => c.on('notification', (n) => heard.push(n.payload) === 2 && resolve()))
  await c.query('listen told')
  await c.query("notify told, 'own'")
  const other = await connect()
  await other.query('select pg_notify($1, $2)', ['told', 'other'])
  await other.end()
  await both
  await c.query('unlisten *')
  assert.deepEqual(heard, ['own', 'other'])
}

// Cancelled when the test says that it runs.
async function cancelled(c) {
  let query
  process.stdin.once('data', () => new Client(settings).cancel(c, query))
  const ended = new Promise((resolve) => {
    const { Query } = require('pg')
    query = c.query(new Query('select pg_sleep(61)'))
    query.on('error', resolve)
  })
  assert.equal((await ended).code, '57014')
  process.stdin.destroy()
  await c.query("select 'still there'")
}

async function main() {
  const c = await connect()
  for (const part of [types, prepared, pieces, errors, texts, large, notifications, cancelled]) await part(c)
  await c.end()
  console.log('done')
}

main().catch((e) => {
  console.error(e)
  process.exit(1)
})
