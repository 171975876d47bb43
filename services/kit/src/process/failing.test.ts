import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { explain } from './failing.ts'

/** The system's error for listening at an address. */
const refusal = async (port: number, host = '127.0.0.1'): Promise<unknown> => {
  const server = createServer()
  const failed = once(server, 'error')
  server.listen(port, host)
  const [error] = await failed
  return error
}

test('a port in use, a foreign address and an unknown host name have different explanations', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  expect(explain(await refusal(port))).toBe(
    `Port ${port} is in use. Stop the process that uses it, or set PORT to another.`,
  )
  expect(explain(await refusal(0, '192.0.2.1'))).toMatch(/^192\.0\.2\.1 is not an address of this machine\. Set HOST/)
  expect(explain(await refusal(0, 'nowhere.invalid'))).toMatch(/^The host name nowhere\.invalid cannot be resolved\./)
  taken.close()
})

test('EACCES is explained differently for ports and for files', async () => {
  const listen = Object.assign(new Error('listen'), { code: 'EACCES', syscall: 'listen', port: 80 })
  expect(explain(listen)).toBe('This user may not listen on port 80. Set PORT to a port above 1023.')
  const open = Object.assign(new Error('open'), { code: 'EACCES', syscall: 'open', path: '/data/x' })
  expect(explain(open)).toBe('This user may not open /data/x. Change its owner or its permissions.')
})

test('a full disk is explained as databases report it, too', () => {
  using database = new DatabaseSync(':memory:')
  database.exec('create table things (id text); pragma max_page_count = 1')
  let failed: unknown
  try {
    database.exec(`insert into things values ('${'x'.repeat(10_000)}')`)
  } catch (error) {
    failed = error
  }
  expect(explain(failed)).toBe('The disk of the data directory is full. Free space on it.')
})

test('a system error without an explanation is printed unchanged', async () => {
  const error = await writeFile('/', '').catch((caught: unknown) => caught)
  expect(explain(error)).toContain('EISDIR')
})
