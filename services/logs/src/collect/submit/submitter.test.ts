import { once } from 'node:events'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { createEgress } from '@trellis/kit/egress'
import { isServiceError } from '@trellis/kit/errors'
import { createLeases } from '@trellis/kit/leases'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import type { MatchedEntry } from '../../entries/matched-entry.ts'
import { leaseRows } from '../../replicated/lease-rows.ts'
import type { SharedCatalogueTables } from '../../replicated/shared-catalogue-tables.ts'
import { logsMigrations } from '../../schemas.ts'
import { openService, writeSources } from '../service-for-tests.ts'
import { until } from '../until-for-tests.ts'
import { type OutboxTables, outboxSize } from './outbox-store.ts'
import { createSubmitter, type SubmitLimits, submitLimits } from './submitter.ts'

/** A fault that the receiver injects before its normal response; returns whether it has responded itself. */
type Fault = (response: ServerResponse) => boolean

/** Another log service behind HTTP, with configurable faults of its first responses. */
const withReceiver = async (key = 'branch-key') => {
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'trellis-submit-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const bus = opened.use(createMemoryBus())
  const receiver = opened.use(
    await openService({ directory: join(directory, 'receiver'), bus, environment: { LOGS_WATCH: '0' } }),
  )
  const before: Fault[] = []
  const after: Fault[] = []
  const seen: { encoding: string | undefined; authorization: string | undefined }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { 'content-encoding': encoding, authorization } = request.headers
    seen.push({ encoding, authorization })
    if (before.shift()?.(response)) return void request.resume()
    if (authorization !== `Bearer ${key}`) return void response.writeHead(401).end()
    try {
      const messages = async function* () {
        yield { part: { $case: 'parameters' as const, value: { contentEncoding: encoding } } }
        for await (const value of request) yield { part: { $case: 'chunk' as const, value } }
      }
      const taken = await receiver.logs.gleanBatch(messages())
      if (!after.shift()?.(response)) response.end(JSON.stringify(taken))
    } catch (error) {
      response.writeHead(isServiceError(error) ? error.status : 500).end()
    }
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const store = opened.use(
    await openStore<OutboxTables & SharedCatalogueTables>({
      name: 'logs',
      dataDirectory: join(directory, 'sender'),
      migrations: logsMigrations,
    }),
  )
  const upstream = opened.use(createEgress({ blockPrivate: false }))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logs/api/glean/batch`
  const stack = opened.move()
  return {
    directory,
    bus,
    before,
    after,
    seen,
    endpoint,
    key,
    waiting: () => outboxSize(store.db),
    texts: () => receiver.texts(),
    submitter: (limits: Partial<SubmitLimits> = {}, usedKey = key) =>
      createSubmitter({
        db: store.db,
        target: { endpoint, key: usedKey, upstream },
        leases: createLeases({ ...leaseRows(store.db), now: Date.now }),
        log: silentLog,
        limits: { ...submitLimits, firstPauseMilliseconds: 1, tries: 3, ...limits },
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const entry = (number: number): MatchedEntry => ({
  entryId: String(number).padStart(32, '0'),
  sourceId: 'app',
  sequence: number,
  timestampIso: '2026-03-01T09:15:02.000Z',
  severity: 'ERROR',
  patterns: ['auth_failure'],
  text: `matched n${number}`,
})
const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(index + 1))
const signal = new AbortController().signal

const status =
  (code: number, headers: Record<string, string> = {}): Fault =>
  (response) => {
    response.writeHead(code, headers).end()
    return true
  }
const hangUp: Fault = (response) => {
  response.destroy()
  return true
}

test('matched entries are pushed with the key, compressed, and none is pushed again', async () => {
  await using receiver = await withReceiver()
  const submitter = receiver.submitter({ entries: 10 })
  await submitter.add(entries(25))
  await submitter.push(signal)
  expect(await receiver.texts()).toHaveLength(25)
  expect(await receiver.waiting()).toBe(0)
  expect(receiver.seen).toHaveLength(3)
  expect(receiver.seen[0]).toEqual({ encoding: 'gzip', authorization: 'Bearer branch-key' })
  await submitter.push(signal)
  expect(receiver.seen).toHaveLength(3)
})

test('entries wait while the receiver is unreachable or overloaded, and each is stored once', async () => {
  await using receiver = await withReceiver()
  const submitter = receiver.submitter({ entries: 10 })
  await submitter.add(entries(25))
  receiver.before.push(hangUp, status(503, { 'retry-after': '0' }), status(500))
  await submitter.push(signal)
  expect(await receiver.waiting()).toBe(25)
  // Stored, but the response is lost: the same batch is sent again.
  receiver.after.push(hangUp)
  receiver.before.push(status(429, { 'retry-after': '0' }))
  await submitter.push(signal)
  expect(await receiver.waiting()).toBe(0)
  expect((await receiver.texts()).toSorted()).toEqual(
    entries(25)
      .map(({ text }) => text)
      .toSorted(),
  )
})

test('an endless response is not read to its end, and its batch counts as sent', async () => {
  await using receiver = await withReceiver()
  const submitter = receiver.submitter({ entries: 10 })
  await submitter.add(entries(10))
  let isClosed = false
  receiver.after.push((response) => {
    const part = Buffer.alloc(64 * 1024, ' ')
    const writeOn = () => {
      while (!isClosed && response.write(part));
    }
    response.on('drain', writeOn).on('close', () => {
      isClosed = true
    })
    writeOn()
    return true
  })
  await submitter.push(signal)
  expect(await receiver.waiting()).toBe(0)
  expect(receiver.seen).toHaveLength(1)
  await expect.poll(() => isClosed).toBe(true)
})

test('a wrong key loses no entries: they wait for the right one', async () => {
  await using receiver = await withReceiver()
  const submitter = receiver.submitter({}, 'wrong')
  await submitter.add(entries(3))
  await submitter.push(signal)
  expect(await receiver.waiting()).toBe(3)
  await receiver.submitter().push(signal)
  expect(await receiver.texts()).toHaveLength(3)
})

test('a batch that is too large is sent in parts', async () => {
  await using receiver = await withReceiver()
  receiver.before.push(status(413), status(413))
  const submitter = receiver.submitter()
  await submitter.add(entries(8))
  await submitter.push(signal)
  expect(await receiver.texts()).toHaveLength(8)
})

test('the queue is bounded: more entries are refused, so that they are read again later', async () => {
  await using receiver = await withReceiver()
  const submitter = receiver.submitter({ waiting: 10 })
  await submitter.add(entries(10))
  await expect(submitter.add([entry(11)])).rejects.toMatchObject({ kind: 'unavailable' })
})

test('after each scheduled glean matched entries are pushed to the submit endpoint, and no others', async () => {
  await using receiver = await withReceiver()
  const directory = join(receiver.directory, 'collector')
  await writeSources(directory, `  - {id: auth, path: ${join(directory, 'logs', 'auth.log')}}\n`)
  const path = join(directory, 'logs', 'auth.log')
  const failed = (number: number) =>
    `Mar  1 09:15:0${number} attic sshd[7]: Failed password for root from 192.0.2.7 port 37033 ssh2\n`
  await writeFile(path, `${failed(1)}Mar  1 09:15:01 attic app[9]: nothing of note\n${failed(2)}`)
  receiver.before.push(status(503, { 'retry-after': '0' }))
  const environment = {
    SERVICE_GLEAN_INTERVAL: '1',
    SERVICE_SUBMIT_ENDPOINT: receiver.endpoint,
    SERVICE_SUBMIT_KEY: receiver.key,
    LOGS_WATCH: '0',
  }
  await using sender = await openService({ directory, bus: receiver.bus, environment })
  await until(receiver.texts, (texts) => texts.length === 2)
  await appendFile(path, failed(3))
  const texts = await until(receiver.texts, (seen) => seen.length === 3)
  expect(texts.every((text) => text.includes('Failed password'))).toBe(true)
  expect(await sender.texts()).toHaveLength(4)
})
