import { openStore, type StoreLocation } from '@trellis/kit/store'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contextSchema } from '../schemas.ts'
import { createContextBase } from './context.ts'
import { docLimits } from './docs.ts'
import { contextLimits, type Similarity } from './knowledge.ts'
import type { ContextTables } from './migrations.ts'

/** The context base of one replica. */
const openAt = async (location: StoreLocation, similarity?: Similarity) => {
  const store = await openStore<ContextTables>({ ...location, ...contextSchema })
  let time = Date.UTC(2026, 2, 1)
  const base = createContextBase({ db: store.db, now: () => time++, ...(similarity && { similarity }) })
  return { ...base, [Symbol.asyncDispose]: () => store.close() }
}

const runbook = {
  title: 'Restoring the NAS',
  text: '# Restoring\n\nStop the containers, then import the pool.',
  tags: ['backup'],
}
const fact = (key: string, value: string, category = 'host', source = 'manual') => ({ category, key, value, source })

describe.each(drawnBackend(databases, 'logs/context/context'))('the context on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('as rows', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())
    const openDatabase = () => database.place(contextSchema)

    test('every replica finds a document once it is stored, and no longer once it is deleted', async () => {
      await using placed = await openDatabase()
      await using one = await openAt(placed.location)
      await using other = await openAt(placed.location)
      const found = async (question: string) =>
        (await other.knowledge.search(question, { chunks: 5, facts: 5 })).chunks.map(({ item }) => item.title)
      expect(await found('import the pool')).toEqual([])
      const [stored] = await one.docs.create([runbook, { ...runbook, title: 'Other', text: 'Nothing of interest.' }])
      expect(await found('how do I import the pool?')).toEqual(['Restoring the NAS'])
      await one.docs.remove(stored?.doc.id ?? '')
      expect(await found('how do I import the pool?')).toEqual([])
      expect(await one.docs.removeAll()).toBe(1)
      expect(await other.docs.list()).toEqual([])
    })

    test('documents are listed newest first, optionally by tag, and duplicates are stored once', async () => {
      await using placed = await openDatabase()
      await using context = await openAt(placed.location)
      const [first] = await context.docs.create([runbook])
      const [second] = await context.docs.create([{ title: 'Network', text: 'All about VLANs.', tags: [] }])
      const [again] = await context.docs.create([{ ...runbook, title: ' Restoring the NAS ' }])
      expect(again).toEqual({ doc: first?.doc, isNew: false })
      expect((await context.docs.list()).map(({ id }) => id)).toEqual([second?.doc.id, first?.doc.id])
      expect((await context.docs.list('backup')).map(({ title }) => title)).toEqual(['Restoring the NAS'])
      expect(first?.doc).toMatchObject({ tags: ['backup'], chunkCount: 1, text: runbook.text })
      await expect(context.docs.find('nope')).rejects.toMatchObject({ kind: 'not_found' })
      await expect(context.docs.remove('nope')).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('of several documents all are stored or none', async () => {
      await using placed = await openDatabase()
      await using context = await openAt(placed.location)
      const empty = { title: 'Empty', text: ' \n', tags: [] }
      await expect(context.docs.create([runbook, empty])).rejects.toMatchObject({ kind: 'invalid' })
      const long = { title: 'Long', text: 'x'.repeat(docLimits.characters + 1), tags: [] }
      await expect(context.docs.create([runbook, long])).rejects.toMatchObject({ kind: 'too_large' })
      await expect(context.docs.create([{ ...runbook, text: 'a\0b' }])).rejects.toMatchObject({ kind: 'invalid' })
      expect(await context.docs.list()).toEqual([])
    })

    test('documents that exceed the total size are refused', async () => {
      await using placed = await openDatabase()
      await using context = await openAt(placed.location)
      const big = (number: number) => ({
        title: `Big ${number}`,
        text: `${number} ${'word '.repeat(100_000)}`,
        tags: [],
      })
      const fitting = Math.floor(docLimits.allCharacters / big(0).text.length)
      await context.docs.create(Array.from({ length: fitting }, (_, number) => big(number)))
      await expect(context.docs.create([big(fitting)])).rejects.toMatchObject({ kind: 'too_large' })
      expect(await context.docs.list()).toHaveLength(fitting)
    }, 60_000)

    test('a fact is unique by category and key: the last value and source win, under the same id', async () => {
      await using placed = await openDatabase()
      await using context = await openAt(placed.location)
      const first = await context.facts.put(fact('nas', '192.168.1.10'))
      expect(first.isNew).toBe(true)
      const changed = await context.facts.put(fact(' nas ', '192.168.1.11', 'host', 'import'))
      expect(changed).toEqual({ fact: { ...first.fact, value: '192.168.1.11', source: 'import' }, isNew: false })
      await context.facts.put(fact('nas', 'keeps backups', 'storage'))
      const listed = async (filter = {}) =>
        (await context.facts.list(filter)).map(({ category, value }) => [category, value])
      expect(await listed()).toEqual([
        ['host', '192.168.1.11'],
        ['storage', 'keeps backups'],
      ])
      expect(await listed({ source: 'import' })).toEqual([['host', '192.168.1.11']])
      expect(await listed({ category: 'storage', key: 'nas' })).toEqual([['storage', 'keeps backups']])
      await context.facts.remove(first.fact.id)
      await expect(context.facts.remove(first.fact.id)).rejects.toMatchObject({ kind: 'not_found' })
      expect(await context.facts.removeAll({ category: 'host' })).toBe(0)
      expect(await context.facts.removeAll({})).toBe(1)
    })

    test('two replicas that write the same fact concurrently store one', async () => {
      await using placed = await openDatabase()
      await using one = await openAt(placed.location)
      await using other = await openAt(placed.location)
      const written = await Promise.all(
        Array.from({ length: 6 }, (_, number) => (number % 2 ? one : other).facts.put(fact('nas', `value ${number}`))),
      )
      expect(written.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect(await one.facts.list({})).toHaveLength(1)
    })

    test('a diagnosis gets the facts and chunks that its question names, within limits', async () => {
      await using placed = await openDatabase()
      await using context = await openAt(placed.location)
      await context.facts.put(fact('nas', '192.168.1.10; keeps all backups'))
      await context.facts.put(fact('router', 'is the gateway; no documentation exists'))
      await context.docs.create([runbook])
      const long = Array.from(
        { length: 30 },
        (_, number) => `# Part ${number}\n\n${`The nas and its pool, ${number}. `.repeat(30)}`,
      )
      await context.docs.create([{ title: 'Long', text: long.join('\n\n'), tags: [] }])
      const found = await context.knowledge.contextFor('why is the nas slow since yesterday?')
      expect(found.facts.map(({ key }) => key)).toEqual(['nas'])
      expect(found.chunks.length).toBeGreaterThan(0)
      expect(found.chunks.length).toBeLessThanOrEqual(contextLimits.chunks)
      const characters = found.chunks.reduce((sum, { text }) => sum + text.length, 0)
      expect(characters).toBeLessThanOrEqual(contextLimits.characters)
      expect(await context.knowledge.contextFor('why?')).toMatchObject({ chunks: [] })
      expect(await context.knowledge.contextFor('')).toEqual({ facts: [], chunks: [] })
    })

    test('ranking combines meaning and words if there is a model, and uses words if it fails', async () => {
      await using placed = await openDatabase()
      let isUnavailable = false
      await using context = await openAt(placed.location, async (_, chunks) =>
        isUnavailable ? undefined : chunks.map(({ title }) => (title === 'Meant' ? 1 : 0)),
      )
      await context.docs.create([
        { title: 'Meant', text: 'Recovering data from the array.', tags: [] },
        { title: 'Worded', text: 'To restore, run restore.', tags: [] },
        { title: 'Neither', text: 'The colours of the cables.', tags: [] },
      ])
      const titles = async () =>
        (await context.knowledge.search('restore', { chunks: 5, facts: 5 })).chunks.map(({ item }) => item.title)
      expect(await titles()).toEqual(['Worded', 'Meant'])
      isUnavailable = true
      expect(await titles()).toEqual(['Worded'])
    })

    test('the wizard continues on any replica, previews its facts, and applies them idempotently', async () => {
      await using placed = await openDatabase()
      await using one = await openAt(placed.location)
      await using other = await openAt(placed.location)
      await one.facts.put(fact('router', 'by hand'))
      const hosts = (names: string[]) => JSON.stringify({ hosts: names.map((name) => ({ name, role: 'server' })) })
      const first = await one.wizard.answer('hosts', hosts(['nas', 'router']))
      expect(first).toEqual({
        nextStep: 'services',
        preview: [
          { category: 'host', key: 'nas', value: 'server', change: 'new' },
          { category: 'host', key: 'router', value: 'server', change: 'kept' },
        ],
      })
      const services = {
        services: [{ name: 'photos', host: 'nas', ports: ['2283'], depends_on: ['postgres', 'redis'] }],
      }
      await other.wizard.answer('services', JSON.stringify(services))
      expect(await other.wizard.apply()).toEqual({ created: 2, updated: 0, removed: 0 })
      expect(await one.wizard.apply()).toEqual({ created: 0, updated: 0, removed: 0 })
      expect((await one.facts.list({})).map(({ key, value, source }) => [key, value, source])).toEqual([
        ['nas', 'server', 'wizard'],
        ['router', 'by hand', 'manual'],
        ['photos', 'runs on nas; ports 2283; depends on postgres, redis', 'wizard'],
      ])
      const changed = await one.wizard.answer('hosts', JSON.stringify({ hosts: [{ name: 'nas', role: 'NAS' }] }))
      expect(changed.preview.map(({ key, change }) => [key, change])).toEqual([
        ['nas', 'changed'],
        ['photos', 'unchanged'],
      ])
      await one.wizard.answer('services', '{}')
      expect(await one.wizard.apply()).toEqual({ created: 0, updated: 1, removed: 1 })
      expect((await other.wizard.answer('contacts', '{}')).nextStep).toBeNull()
      expect(await other.facts.list({ source: 'wizard' })).toMatchObject([{ key: 'nas', value: 'NAS' }])
    })
  })
})
