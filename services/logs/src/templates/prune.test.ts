import { openStore } from '@trellis/kit/store'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { TemplatesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/templates.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { createKeyValue } from '../replicated/replicas-for-tests.ts'
import { logsMigrations } from '../schemas.ts'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'
import { createTemplateStore, type TemplateTables } from './store.ts'
import { createTemplates } from './templates.ts'

const day = 86_400_000

const openPlace = async () => {
  const { directory, shared, ...dependencies } = await createKeyValue()
  return { ...dependencies, directory, bus: shared.bus, shared: { store: shared.store, filesLocation: shared.files } }
}

/** A store of templates that any number of threads share. */
const openShared = async () => {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await temporaryDirectory())
  const rows = await openStore<TemplateTables>({ name: 'logs', dataDirectory: path, migrations: logsMigrations })
  opened.defer(() => rows.close())
  const clock = { now: 0 }
  const store = createTemplateStore(rows.db, () => clock.now)
  const stack = opened.move()
  return {
    clock,
    thread: () => createTemplates({ store, onProblem: (problem) => expect.unreachable(problem) }),
    forms: async () => (await store.changes(0)).templates.map(({ form }) => form).toSorted(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
/** Prunes as the thread that issued the templates does: first their entries are in segments, then only those of `live` are left. */
const pruneStored = async (
  thread: ReturnType<typeof createTemplates>,
  live: readonly string[],
  all: readonly string[],
) => {
  await thread.prune(new Set(all))
  await thread.prune(new Set(live))
}

describe('a template', () => {
  test('without entries is deleted after a while, and is found again with its next line', async () => {
    await using shared = await openShared()
    const thread = shared.thread()
    const ids = await thread.idsOf(['door is open', 'gate was shut'])
    await pruneStored(thread, [ids[0] ?? ''], ids)
    expect(await shared.forms()).toEqual(['door is open', 'gate was shut'])
    shared.clock.now = day
    await thread.prune(new Set(ids.slice(0, 1)))
    expect(await shared.forms()).toEqual(['door is open'])
    expect(await thread.idsOf(['gate was shut'])).toEqual([ids[1]])
    expect(await shared.forms()).toEqual(['door is open', 'gate was shut'])
  })

  test('of entries that are not in a segment yet is not deleted', async () => {
    await using shared = await openShared()
    const thread = shared.thread()
    const [id = ''] = await thread.idsOf(['door is open'])
    shared.clock.now = day
    await thread.prune(new Set())
    expect([await shared.forms(), thread.formOf(id)]).toEqual([['door is open'], 'door is open'])
  })

  test('that another replica has issued meanwhile is restored by that replica', async () => {
    await using shared = await openShared()
    const [one, other] = [shared.thread(), shared.thread()]
    const ids = await one.idsOf(['door is open'])
    await other.catchUp()
    shared.clock.now = day
    expect(await other.idsOf(['door is open'])).toEqual(ids)
    await pruneStored(one, [], ids)
    expect(await shared.forms()).toEqual([])
    await other.catchUp()
    await other.idsOf(['gate was shut'])
    expect(await shared.forms()).toEqual(['door is open', 'gate was shut'])
  })

  test('that was merged into a more general one is stored with it and resolves to it', async () => {
    await using shared = await openShared()
    const thread = shared.thread()
    const names = ['ann', 'bob', 'kim', 'lee', 'max', 'zoe']
    const ids = await thread.idsOf(names.map((name) => `the door was opened by ${name} today`))
    const [first = ''] = ids
    shared.clock.now = day
    await pruneStored(thread, [first], ids)
    const general = thread.formOf(thread.resolve(first))
    expect(general).toBe('the door was opened by <*> today')
    expect(await shared.forms()).toContain(general)
    const restarted = shared.thread()
    await restarted.catchUp()
    expect(restarted.formOf(restarted.resolve(first))).toBe(general)
  })
})

test.each([
  ['alone', false],
  ['with replicas', true],
])('DELETE /api/sources/{id} deletes templates that only its entries had: %s', async (_, isShared) => {
  const { directory, shared, bus, ...dependencies } = await openPlace()
  await using __ = dependencies
  const start = Date.parse('2026-03-02T12:00:00Z')
  let now = start
  await using service = await openServiceForTests({
    dataDirectory: directory,
    bus,
    now: () => now,
    ...(isShared && shared),
  })
  const entry = (source_id: string, text: string) => ({ source_id, text, sequence: 1 })
  const logs = service.client(LogsServiceDefinition)
  await logs.gleanBatch(batchOf([entry('door', 'the door is open'), entry('gate', 'one gate was shut')]))
  const rows = await openStore<TemplateTables>({ name: 'logs', dataDirectory: directory, migrations: logsMigrations })
  await using ___ = { [Symbol.asyncDispose]: () => rows.close() }
  const forms = async () =>
    (await createTemplateStore(rows.db, () => now).changes(0)).templates.map(({ form }) => form).toSorted()
  expect(await forms()).toEqual(['one gate was shut', 'the door is open'])
  now = start + day
  const entries = service.client(EntriesServiceDefinition)
  await logs.gleanBatch(batchOf([entry('other', 'one gate was shut')]))
  await entries.deleteSource({ sourceId: 'other' })
  await entries.deleteSource({ sourceId: 'door' })
  expect(await forms()).toEqual(['one gate was shut'])
  const { templates } = await service.client(TemplatesServiceDefinition).listTemplates({ trend: '', order: '' })
  expect(templates.map(({ template, count }) => [template, count])).toEqual([['one gate was shut', 1]])
})
