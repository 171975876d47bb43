import { createMemoryBus } from '@trellis/kit/bus'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { openServiceForTests } from '../service-for-tests.ts'
import { eventsOf } from '../tail/events-for-tests.ts'
import { createKeyValue } from './replicas-for-tests.ts'

/** Two services that share a bus, a store and segment files. */
const openTwo = async () => {
  await using opened = new AsyncDisposableStack()
  const { shared, directory } = opened.use(await createKeyValue())
  const place = { dataDirectory: directory, store: shared.store, filesLocation: shared.files }
  const bus = opened.use(createMemoryBus())
  const open = async () => opened.use(await openServiceForTests({ ...place, bus })).client(LogsServiceDefinition)
  const [one, other] = [await open(), await open()]
  const stack = opened.move()
  return { one, other, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function* form(content: string, wait: boolean) {
  yield { part: { $case: 'parameters' as const, value: { wait, sourceId: 'app' } } }
  yield { part: { $case: 'file' as const, value: { name: 'file', filename: 'app.log', mediaType: 'text/plain' } } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(content) } }
}
async function* body(entries: unknown) {
  yield { part: { $case: 'parameters' as const, value: {} } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(JSON.stringify({ source_id: 'push', entries })) } }
}

test('an upload to one replica is followed and searched through the other', async () => {
  await using two = await openTwo()
  const { taskId } = await two.one.upload(form('one error\ntwo\nthree error\n', false))
  const names: string[] = []
  for await (const frame of two.other.watchTask({ taskId })) if (frame.event) names.push(frame.event.$case)
  expect(names.at(-1)).toBe('done')
  expect(await two.other.getTask({ taskId })).toMatchObject({ status: 'done', counts: { entries: 3 } })
  expect(await two.other.search({ q: 'error', order: '' })).toMatchObject({ total: 2, totalIsExact: true })
  expect((await two.other.listSources({})).sources).toMatchObject([{ sourceId: 'app', entryCount: 3 }])
})

test('a batch that is pushed to both replicas is stored once', async () => {
  await using two = await openTwo()
  const entries = Array.from({ length: 9_000 }, (_, index) => ({ text: `pushed ${index}`, sequence: index }))
  const results = await Promise.all([two.one.gleanBatch(body(entries)), two.other.gleanBatch(body(entries))])
  expect(results.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(9_000)
  expect(results.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(9_000)
  expect((await two.one.search({ q: 'pushed', order: '' })).total).toBe(9_000)
})

test('a follower of one replica receives entries pushed to the other, and can resume on either', async () => {
  await using two = await openTwo()
  await two.one.upload(form('one error\ntwo\n', true))
  const stop = new AbortController()
  const seen: string[] = []
  let lastId = ''
  for await (const { id, text } of eventsOf(two.one.tail({ q: 'error', history: 1 }, { signal: stop.signal }))) {
    if (text === undefined) continue
    seen.push(text)
    lastId = id || lastId
    if (seen.length === 2) break
    await two.other.gleanBatch(body([{ text: 'four error' }, { text: 'five' }, { text: 'six error' }]))
  }
  stop.abort()
  expect(seen).toEqual(['one error', 'four error'])
  await two.one.gleanBatch(body([{ text: 'seven error' }]))
  const resumed = new AbortController()
  const texts: string[] = []
  const goneOn = two.other.tail({ q: 'error', lastEventId: lastId }, { signal: resumed.signal })
  for await (const { name, text } of eventsOf(goneOn)) {
    texts.push(text ?? name)
    if (texts.length === 2) break
  }
  resumed.abort()
  expect(texts).toEqual(['six error', 'seven error'])
})
