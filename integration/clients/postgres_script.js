// What people do with postgres.js, which pipelines.
'use strict'
const assert = require('assert')
// postgres.js makes the names of its statements from a random number.
Math.random = () => 0.5
const postgres = require('postgres')
const { Readable } = require('stream')
const { pipeline } = require('stream/promises')

const [host, port] = process.argv.slice(2)
const notices = []
const settings = { host, port, user: 'dba', password: 'dba', database: 'acme', max: 1, onnotice: (n) => notices.push(n.severity),
  connection: { application_name: 'postgres', options: '-c work_mem=5MB -c statement_timeout=90s' } }

const expect = (code, promise) => assert.rejects(promise, (e) => e.code === code)

async function types(sql) {
  await sql`truncate things`
  const row = { id: 1, name: "naïve 'quote' \\ 🙂", amount: '12.50', at: new Date(Date.UTC(2020, 1, 29, 12)), raw: Buffer.from([0, 1, 255]),
    tags: ['a', null, 'c,d'], doc: sql.json({ k: [1, null] }), ok: true, big: 2n ** 62n, ratio: 0.1 }
  await sql`insert into things ${sql(row)}`
  assert.equal((await sql`select * from things`)[0].name, row.name)
  await sql`insert into things ${sql(Array.from({ length: 58 }, (_, n) => ({ id: n + 2, name: `n${n}` })))}`
}

// Prepared by name from the first time on; all of these are in flight at once.
async function pipelined(sql) {
  const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => sql`select ${n}::int as n, name from things where id = ${n + 1}`))
  assert.deepEqual(answers.map((r) => r[0].n), Array.from({ length: 24 }, (_, n) => n))
  const mixed = await Promise.allSettled([sql`select 1`, sql`select 1/${0}::int`, sql`select 2`.simple(), sql`selec`, sql`select 3`])
  assert.deepEqual(mixed.map((m) => m.status), ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  await sql.unsafe('select name from things where id = $1', [3])
  await sql.unsafe('select name from things where id = $1', [3], { prepare: true })
  await sql`select name from things where id = ${4}`.describe()
}

async function pieces(sql) {
  let n = 0
  for await (const rows of sql`select id from things order by id`.cursor(7)) n += rows.length
  assert.equal(n, 59)
  await sql`select g from generate_series(1, 1000) g`.cursor(10, () => sql.CLOSE)
  await sql`select id from things order by id`.forEach(() => n--)
  assert.equal(n, 0)
}

async function copies(sql) {
  const lines = Array.from({ length: 300 }, (_, n) => `${n + 100}\tcopied ${n}\n`)
  await pipeline(Readable.from(lines), await sql`copy things (id, name) from stdin`.writable())
  let out = ''
  for await (const chunk of await sql`copy (select id, name from things order by id) to stdout`.readable()) out += chunk
  assert.equal(out.split('\n').length, 360)
}

async function errors(sql) {
  await expect('22012', sql.begin(async (tx) => {
    await expect('22012', tx`select 1/${0}::int`)
    await expect('25P02', tx`select 1`)
  }))
  await sql.begin('read write', async (tx) => {
    await expect('23505', tx.savepoint((sp) => sp`insert into things (id) values (${1})`))
    await tx`update things set name = ${'kept'} where id = ${2}`
  })
  await sql.begin((tx) => [tx`select 1`, tx`select 2`])
}

async function texts(sql) {
  notices.length = 0
  assert.equal((await sql`select 1; select 2 as b; select 3 where false`.simple()).length, 3)
  await sql``.simple()
  await sql`do $$ begin raise notice 'first'; raise warning 'second' using hint = 'a hint'; end $$`
  await sql`set timezone = 'UTC'`
  assert.deepEqual(notices, ['NOTICE', 'WARNING'])
}

async function large(sql) {
  assert.equal((await sql`select repeat('x', 1048576) as x`)[0].x.length, 1 << 20)
  assert.equal((await sql`select length(${'y'.repeat(1 << 20)}) as n`)[0].n, 1 << 20)
  assert.equal((await sql`select g, md5(g::text) from generate_series(1, ${5000}::int) g`).length, 5000)
}

async function notifications(sql) {
  const heard = []
  let enough
  const both = new Promise((resolve) => (enough = resolve))
  // postgres.js listens on a connection of its own.
  const listening = await sql.listen('told', (payload) => heard.push(payload) === 2 && enough())
  await sql.notify('told', 'one')
  await sql`select pg_notify('told', ${'two'})`
  await both
  await listening.unlisten()
  assert.deepEqual(heard, ['one', 'two'])
}

// Cancelled when the test says that it runs.
async function cancelled(sql) {
  const query = sql`select pg_sleep(61)`.execute()
  process.stdin.once('data', () => query.cancel())
  await expect('57014', query)
  process.stdin.destroy()
  await sql`select 'still there'`
}

async function main() {
  const sql = postgres(settings)
  for (const part of [types, pipelined, pieces, copies, errors, texts, large, notifications, cancelled]) await part(sql)
  await sql.end()
  console.log('done')
}

main().catch((e) => {
  console.error(e)
  process.exit(1)
})
