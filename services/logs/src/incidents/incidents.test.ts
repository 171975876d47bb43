import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logsSchema } from '../schemas.ts'
import { openService } from './service-for-tests.ts'

const start = Date.UTC(2026, 2, 1, 9, 0)
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString()

const lines = [
  { text: 'all is well', timestamp_iso: at(1) },
  { text: 'disk nearly full', timestamp_iso: at(2), severity: 'WARN' },
  { text: 'write failed on sda', timestamp_iso: at(3), severity: 'ERROR' },
  { text: 'write failed on sdb', timestamp_iso: at(90), severity: 'ERROR' },
]

const patch = (id: string, change: Record<string, unknown>) => ({
  id,
  ...Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ),
  updateMask: Object.keys(change),
})

const drawnDatabases = drawnBackend(databases, 'logs/incidents/incidents')

describe.each(drawnDatabases)('incidents on $name', ({ isMissing, start: startDatabase }) => {
  describe.skipIf(isMissing)('through the API', () => {
    let database: RunningDatabase
    beforeAll(async () => {
      database = await startDatabase()
    })
    afterAll(() => database?.[Symbol.asyncDispose]())
    const open = async () => {
      await using opened = new AsyncDisposableStack()
      const placed = opened.use(await database.place(logsSchema))
      let moment = start
      const service = opened.use(await openService({ store: placed.location, now: () => (moment += 1_000) }))
      const stack = opened.move()
      return { ...service, [Symbol.asyncDispose]: () => stack.disposeAsync() }
    }

    test('POST /api/incidents and GET /api/incidents create and list, newest first, page by page', async () => {
      await using service = await open()
      for (const label of ['one', 'two', 'three']) await service.incidents.createIncident({ label })
      const first = await service.incidents.listIncidents({ limit: 2 })
      expect(first.incidents.map(({ label }) => label)).toEqual(['three', 'two'])
      const second = await service.incidents.listIncidents({ limit: 2, cursor: first.nextCursor })
      expect(second.incidents.map(({ label }) => label)).toEqual(['one'])
      expect(second.nextCursor).toBeUndefined()
      await expect(service.incidents.listIncidents({ cursor: 'nonsense' })).rejects.toMatchObject({ kind: 'invalid' })
    })

    test('an incident has the fields of the spec', async () => {
      await using service = await open()
      const { id } = await service.incidents.createIncident({
        label: ' Disk is full ',
        startedAt: '2026-03-01T10:00:00+01:00',
        endedAt: at(10),
        notes: 'sda',
        severity: 'error',
        issueType: 'storage',
      })
      expect(await service.incidents.getIncident({ id })).toMatchObject({
        id,
        label: 'Disk is full',
        startedAt: at(0),
        endedAt: at(10),
        notes: 'sda',
        createdAt: expect.stringMatching(/^2026-03-01T09:00:\d\d\.000Z$/),
        severity: 'ERROR',
        issueType: 'storage',
        status: 'open',
        automatic: false,
        timeline: [{ kind: 'created' }],
      })
    })

    test.each([
      ['an end before the start', { label: 'x', startedAt: at(2), endedAt: at(1) }],
      ['an invalid time', { label: 'x', startedAt: 'yesterday' }],
      ['an invalid severity', { label: 'x', severity: 'awful' }],
      ['a label of spaces', { label: '   ' }],
    ])('refuses %s with 422', async (_, request) => {
      await using service = await open()
      await expect(service.incidents.createIncident(request)).rejects.toMatchObject({ kind: 'invalid' })
      expect((await service.incidents.listIncidents({})).incidents).toEqual([])
    })

    test('lists by filters', async () => {
      await using service = await open()
      const { incidents } = service
      const one = await incidents.createIncident({
        label: 'Disk 100% full',
        startedAt: at(0),
        endedAt: at(5),
        severity: 'WARN',
      })
      const two = await incidents.createIncident({
        label: 'Slow',
        notes: 'the disk_a again',
        startedAt: at(60),
        issueType: 'io',
      })
      await incidents.updateIncident(patch(two.id, { status: 'acknowledged' }))
      const ids = async (filters: Parameters<typeof incidents.listIncidents>[0]) =>
        (await incidents.listIncidents(filters)).incidents.map(({ id }) => id)
      expect(await ids({ status: 'open' })).toEqual([one.id])
      expect(await ids({ status: 'open,acknowledged' })).toEqual([two.id, one.id])
      expect(await ids({ severity: 'warn' })).toEqual([one.id])
      expect(await ids({ issueType: 'io' })).toEqual([two.id])
      expect(await ids({ q: 'DISK' })).toEqual([two.id, one.id])
      expect(await ids({ q: '100%' })).toEqual([one.id])
      expect(await ids({ q: 'k_a' })).toEqual([two.id])
      const three = await incidents.createIncident({ label: 'STÖRUNG im Ätna', startedAt: at(0), endedAt: at(5) })
      for (const q of ['STÖRUNG', 'störung', 'im ätna', 'Im ÄTNA']) expect(await ids({ q })).toEqual([three.id])
      await incidents.deleteIncident({ id: three.id })
      expect(await ids({ since: at(6) })).toEqual([two.id])
      expect(await ids({ until: at(6) })).toEqual([one.id])
      await expect(incidents.listIncidents({ status: 'closed' })).rejects.toMatchObject({ kind: 'invalid' })
      await expect(incidents.listIncidents({ severity: 'none' })).rejects.toMatchObject({
        detail: [{ loc: ['query', 'severity'] }],
      })
    })

    test('GET /api/incidents/{id} shows entries of WARN and above of its window, sorted by time', async () => {
      await using service = await open()
      await service.push('app', lines)
      const { id } = await service.incidents.createIncident({ label: 'x', startedAt: at(0), endedAt: at(3) })
      const detail = await service.incidents.getIncident({ id })
      expect(detail.entries.map(({ text }) => text)).toEqual(['disk nearly full', 'write failed on sda'])
      expect(detail.entryCount).toBe(2)
    })

    test('a query or a source restricts the entries of the window of an incident', async () => {
      await using service = await open()
      await service.push('app', lines)
      await service.push('other', [{ text: 'write failed elsewhere', timestamp_iso: at(4), severity: 'ERROR' }])
      const textsOf = async (query: string | null, sourceId: string | null) => {
        const { id } = await service.incidents.createIncident({
          label: 'x',
          startedAt: at(0),
          endedAt: at(5),
          query,
          sourceId,
        })
        return (await service.incidents.getIncident({ id })).entries.map(({ text }) => text)
      }
      expect(await textsOf('well OR sda', null)).toEqual(['all is well', 'write failed on sda'])
      expect(await textsOf(null, 'other')).toEqual(['write failed elsewhere'])
    })

    test('detail returns up to 100 associated entries, and their total number', async () => {
      await using service = await open()
      await service.push(
        'app',
        Array.from({ length: 130 }, (_, number) => ({
          text: `failure ${number}`,
          timestamp_iso: at(number / 60),
          severity: 'ERROR',
        })),
      )
      const { id } = await service.incidents.createIncident({ label: 'x', startedAt: at(0), endedAt: at(5) })
      const detail = await service.incidents.getIncident({ id })
      expect(detail.entries).toHaveLength(100)
      expect(detail.entryCount).toBe(130)
      const times = detail.entries.map(({ timestampIso }) => timestampIso)
      expect(times).toEqual(times.toSorted())
    })

    test('an attached entry of a window with more entries than are shown is counted once', async () => {
      await using service = await open()
      const failures = Array.from({ length: 130 }, (_, number) => ({
        text: `failure ${number}`,
        timestamp_iso: at(number / 60),
        severity: 'ERROR',
      }))
      await service.push('app', [...failures, { text: 'all is well', timestamp_iso: at(2) }])
      const { entries } = await service.logs.search({ q: 'well OR 129 OR 3', order: 'time' })
      const { id } = await service.incidents.createIncident({ label: 'x', startedAt: at(0), endedAt: at(5) })
      await service.incidents.attachEntries({ id, entryIds: entries.map(({ entryId }) => entryId) })
      const { entryCount, attachedCount } = await service.incidents.getIncident({ id })
      expect({ entryCount, attachedCount }).toEqual({ entryCount: 131, attachedCount: 3 })
    })

    test('entries can be attached again after their originals were deleted', async () => {
      await using service = await open()
      await service.push('app', lines)
      const { entries } = await service.logs.search({ q: 'sda OR sdb', order: 'time' })
      const entryIds = entries.map(({ entryId }) => entryId)
      const { id } = await service.incidents.createIncident({ label: 'x', startedAt: at(0) })
      expect(await service.incidents.attachEntries({ id, entryIds })).toEqual({ attached: 2, attachedCount: 2 })
      await service.entries.deleteSource({ sourceId: 'app' })
      expect(await service.incidents.attachEntries({ id, entryIds })).toEqual({ attached: 0, attachedCount: 2 })
      await expect(service.incidents.attachEntries({ id, entryIds: [...entryIds, 'none'] })).rejects.toMatchObject({
        kind: 'not_found',
      })
    })

    test('attached entries are independent of the window, are counted once, and can be detached', async () => {
      await using service = await open()
      await service.push('app', lines)
      const found = await service.logs.search({ q: '', order: 'time' })
      const idOf = (text: string) => found.entries.find((entry) => entry.text === text)?.entryId ?? ''
      const { id } = await service.incidents.createIncident({ label: 'x', startedAt: at(0), endedAt: at(5) })
      const entryIds = [idOf('write failed on sdb'), idOf('write failed on sda'), idOf('write failed on sda')]
      expect(await service.incidents.attachEntries({ id, entryIds })).toEqual({ attached: 2, attachedCount: 2 })
      expect(await service.incidents.attachEntries({ id, entryIds })).toEqual({ attached: 0, attachedCount: 2 })
      const detail = await service.incidents.getIncident({ id })
      expect(detail.entries.map(({ text }) => text)).toEqual([
        'disk nearly full',
        'write failed on sda',
        'write failed on sdb',
      ])
      expect(detail).toMatchObject({ entryCount: 3, attachedCount: 2 })
      expect(detail.attachedEntryIds.toSorted()).toEqual([...new Set(entryIds)].toSorted())
      await expect(service.incidents.attachEntries({ id, entryIds: [] })).rejects.toMatchObject({
        kind: 'invalid',
        detail: [{ loc: ['body', 'entry_ids'] }],
      })
      await service.incidents.detachEntry({ id, entryId: entryIds[0] ?? '' })
      expect(await service.incidents.getIncident({ id })).toMatchObject({
        entryCount: 2,
        attachedEntryIds: [entryIds[1]],
      })
      await expect(service.incidents.detachEntry({ id, entryId: 'none' })).rejects.toMatchObject({ kind: 'not_found' })
      await expect(service.incidents.attachEntries({ id, entryIds: ['none'] })).rejects.toMatchObject({
        kind: 'not_found',
      })
      expect((await service.incidents.getIncident({ id })).timeline.map(({ kind }) => kind)).toEqual([
        'detached',
        'attached',
        'created',
      ])
    })

    test('PATCH changes only the named fields, and records the change in the timeline', async () => {
      await using service = await open()
      const { incidents } = service
      const { id } = await incidents.createIncident({
        label: 'x',
        startedAt: at(0),
        endedAt: at(5),
        notes: 'n',
        severity: 'WARN',
      })
      expect(await incidents.updateIncident(patch(id, { ended_at: null, severity: 'CRITICAL' }))).toMatchObject({
        label: 'x',
        notes: 'n',
        endedAt: undefined,
        severity: 'CRITICAL',
      })
      expect(await incidents.updateIncident(patch(id, { status: 'acknowledged' }))).toMatchObject({
        status: 'acknowledged',
      })
      const resolved = await incidents.updateIncident(patch(id, { status: 'resolved' }))
      expect(resolved).toMatchObject({ status: 'resolved', resolvedAt: resolved.updatedAt })
      expect(resolved.acknowledgedAt).toBeDefined()
      expect(await incidents.updateIncident(patch(id, { status: 'open' }))).toMatchObject({
        status: 'open',
        resolvedAt: undefined,
      })
      await incidents.updateIncident(patch(id, { label: 'x' }))
      const { timeline } = await incidents.getIncident({ id })
      expect(timeline.map(({ kind }) => kind)).toEqual(['opened', 'resolved', 'acknowledged', 'edited', 'created'])
      expect(timeline.at(-2)?.detail).toBe('Changed: ended_at, severity.')
    })

    test('PATCH refuses an end before the start and an empty label', async () => {
      await using service = await open()
      const { id } = await service.incidents.createIncident({ label: 'x', startedAt: at(5) })
      for (const change of [{ ended_at: at(4) }, { label: ' ' }, { status: null }, { severity: 'bad' }])
        await expect(service.incidents.updateIncident(patch(id, change))).rejects.toMatchObject({ kind: 'invalid' })
      // Pages show it beside a field that has a name of its own.
      await expect(service.incidents.updateIncident(patch(id, { ended_at: at(4) }))).rejects.toMatchObject({
        detail: [{ loc: ['body', 'ended_at'], msg: 'The end must not be before the start.' }],
      })
      expect(await service.incidents.getIncident({ id })).toMatchObject({
        label: 'x',
        endedAt: undefined,
        status: 'open',
      })
    })

    test('DELETE /api/incidents/{id} deletes; an unknown incident is 404', async () => {
      await using service = await open()
      const { incidents } = service
      const { id } = await incidents.createIncident({ label: 'x' })
      await incidents.deleteIncident({ id })
      const missing = { kind: 'not_found' }
      await expect(incidents.deleteIncident({ id })).rejects.toMatchObject(missing)
      await expect(incidents.getIncident({ id })).rejects.toMatchObject(missing)
      await expect(incidents.updateIncident(patch(id, { label: 'y' }))).rejects.toMatchObject(missing)
      await expect(incidents.attachEntries({ id, entryIds: ['x'] })).rejects.toMatchObject(missing)
    })

    test('the detail includes similar incidents of the past', async () => {
      await using service = await open()
      const { incidents } = service
      const past = await incidents.createIncident({ label: 'Disk', issueType: 'storage' })
      await incidents.createIncident({ label: 'Fan', issueType: 'heat' })
      const { id } = await incidents.createIncident({ label: 'Disks', issueType: 'storage' })
      expect((await incidents.getIncident({ id })).similar.map((one) => one.id)).toEqual([past.id])
    })
  })
})
