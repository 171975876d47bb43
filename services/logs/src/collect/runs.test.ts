import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryBus } from '@trellis/kit/bus'
import { expect, test } from 'vitest'
import { openService, type ServiceOptions, writeSources } from './service-for-tests.ts'
import { until } from './until-for-tests.ts'

/** A service without scheduled runs, by default. */
const withService = async (options: { isShared?: boolean; interval?: number; isWatched?: boolean } = {}) => {
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'trellis-runs-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const bus = opened.use(createMemoryBus())
  await writeSources(
    directory,
    `  - {id: app, path: ${join(directory, 'logs', 'app.log')}}
  - {id: folder, path: ${join(directory, 'logs', 'more')}, host: attic}
  - {id: off, path: ${join(directory, 'logs', 'off.log')}, enabled: false}
  - {id: cellar, transport: ssh, glean_type: journald, ssh_target: nowhere, enabled: false}
`,
  )
  await writeFile(join(directory, 'logs', 'app.log'), 'one\ntwo error\n')
  const shared: ServiceOptions['shared'] = options.isShared
    ? {
        store: { dataDirectory: join(directory, 'store') },
        files: { kind: 'directory', path: join(directory, 'files') },
      }
    : undefined
  const stack = opened.move()
  const open = async () =>
    stack.use(
      await openService({
        directory,
        bus,
        ...(shared && { shared }),
        environment: {
          SERVICE_GLEAN_INTERVAL: String(options.interval ?? 86_400),
          LOGS_WATCH: options.isWatched ? '1' : '0',
        },
      }),
    )
  const service = await open()
  return {
    ...service,
    directory,
    logs: service.logs,
    log: (name: string) => join(directory, 'logs', name),
    open,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('a manual run collects from all enabled sources, and its task reports the progress', async () => {
  await using service = await withService()
  const begun = await service.collect.gleanAll({})
  expect(begun).toMatchObject({ kind: 'glean', status: 'running' })
  const task = await service.finished(begun)
  expect(task).toMatchObject({ status: 'done', counts: { lines: 2, entries: 2 }, progress: { done: 14, total: 14 } })
  expect(task.formats).toEqual({ plain: 2 })
  expect(task.error).toContain('Some of it could not be read (1)')
  expect(await service.texts()).toEqual(['one', 'two error'])
})

test('a run is rejected while another is in progress, also on another replica', async () => {
  await using service = await withService({ isShared: true })
  const other = await service.open()
  const results = await Promise.allSettled([
    service.collect.gleanAll({}),
    other.collect.gleanSource({ sourceId: 'app' }),
  ])
  const [begun] = results.filter((result) => result.status === 'fulfilled')
  const [refused] = results.filter((result) => result.status === 'rejected')
  expect(refused?.reason).toMatchObject({ kind: 'conflict' })
  if (begun) expect(await other.finished(begun.value)).toMatchObject({ status: 'done' })
  const again = await until(
    () => other.collect.gleanAll({ force: true }).catch(() => undefined),
    (task) => task !== undefined,
  )
  if (again) expect(await service.finished(again)).toMatchObject({ counts: { entries: 0, duplicates: 2 } })
  expect((await service.logs.search({ q: 'error', order: '' })).total).toBe(1)
})

test('one source is collected by its id, also if it is disabled; an unknown id is 404', async () => {
  await using service = await withService()
  await writeFile(service.log('off.log'), 'from off\n')
  const task = await service.finished(await service.collect.gleanSource({ sourceId: 'off' }))
  expect(task).toMatchObject({ status: 'done', counts: { entries: 1 } })
  expect(await service.texts('off')).toEqual(['from off'])
  await expect(service.collect.gleanSource({ sourceId: 'unknown' })).rejects.toMatchObject({ kind: 'not_found' })
})

test('force=true bypasses the unchanged-file check of a source', async () => {
  await using service = await withService()
  const run = async (force: boolean) => service.finished(await service.collect.gleanSource({ sourceId: 'app', force }))
  expect((await run(false)).counts).toMatchObject({ lines: 2, entries: 2 })
  expect((await run(false)).counts).toMatchObject({ lines: 0 })
  expect((await run(true)).counts).toMatchObject({ lines: 2, entries: 0, duplicates: 2 })
  await appendFile(service.log('app.log'), 'three\n')
  expect((await run(false)).counts).toMatchObject({ lines: 1, entries: 1 })
})

test('configured sources are enriched with statistics; SSH sources appear before the first glean with entry count 0', async () => {
  await using service = await withService()
  await service.finished(await service.collect.gleanSource({ sourceId: 'app' }))
  const { sources, problems } = await service.collect.listConfiguredSources({})
  expect(problems).toEqual([])
  const byId = Object.fromEntries(sources.map((source) => [source.id, source]))
  expect(byId.app).toMatchObject({
    transport: 'local',
    gleanType: 'file',
    path: service.log('app.log'),
    entryCount: 2,
    errorCount: 1,
    unitCount: 1,
  })
  expect(byId.app?.lastError ?? null).toBeNull()
  expect(byId.app?.lastGlean).toMatch(/^\d{4}-.*Z$/)
  expect(byId.cellar).toMatchObject({
    transport: 'ssh',
    gleanType: 'journald',
    host: 'nowhere',
    entryCount: 0,
    enabled: false,
  })
})

test('sub-source ids are aggregated under the host row, and also identify the source to collect', async () => {
  await using service = await withService()
  await writeSources(service.directory, `  - {id: folder, path: ${service.log('')}, host: attic}\n`)
  await writeFile(service.log('web.log'), 'three\n')
  await service.finished(await service.collect.gleanSource({ sourceId: 'folder' }))
  const { sources } = await service.collect.listConfiguredSources({})
  expect(sources).toMatchObject([{ id: 'folder', host: 'attic', entryCount: 3, unitCount: 2 }])
  const again = await service.collect.gleanSource({ sourceId: 'folder:attic:web.log', force: true })
  expect((await service.finished(again)).counts).toMatchObject({ lines: 3 })
})

test('a source that cannot be collected is reported in its row and in the task', async () => {
  await using service = await withService()
  const task = await service.finished(await service.collect.gleanSource({ sourceId: 'cellar' }))
  expect(task.status).toBe('failed')
  expect(task.error).toContain('cellar: ')
  const row = (await service.collect.listConfiguredSources({})).sources.find(({ id }) => id === 'cellar')
  expect(row?.lastError).toBeTruthy()
})

test('mistakes in the sources file are reported with the configured sources', async () => {
  await using service = await withService()
  await writeSources(service.directory, '  - {id: wrong, path: relative}\n')
  const { sources, problems } = await service.collect.listConfiguredSources({})
  expect(sources).toEqual([])
  expect(problems).toEqual([expect.stringContaining('sources[0].path must be an absolute path')])
})

test('a sources file that cannot be read is reported by a reload, the status and each run', async () => {
  await using service = await withService({ isWatched: true })
  await writeFile(join(service.directory, 'sources.yaml'), 'sources:\n  - {id: app, path: [\n')
  const { problems } = await service.collect.listConfiguredSources({})
  expect(problems).toEqual([expect.stringContaining('sources.yaml: line ')])
  expect(await service.collect.reloadWatch({})).toMatchObject({ problems })
  expect(await service.collect.getWatchStatus({})).toMatchObject({ problems })
  const task = await service.finished(await service.collect.gleanAll({}))
  expect(task).toMatchObject({ status: 'failed', error: problems[0] })
  await expect(service.collect.gleanSource({ sourceId: 'app' })).rejects.toThrow(problems[0])
})

test('a mistake in the sources file is reported by a run over the others', async () => {
  await using service = await withService()
  await writeSources(
    service.directory,
    `  - {id: app, path: ${service.log('app.log')}}\n  - {id: wrong, path: relative}\n`,
  )
  const task = await service.finished(await service.collect.gleanAll({}))
  expect(task).toMatchObject({ status: 'done', counts: { entries: 2 } })
  expect(task.error).toContain('sources[1].path must be an absolute path')
})

test('a file whose folder is missing, too, is reported by its own path', async () => {
  await using service = await withService()
  const path = join(service.directory, 'nowhere', 'app.log')
  await writeSources(service.directory, `  - {id: app, path: ${path}}\n`)
  await service.finished(await service.collect.gleanAll({}))
  const { sources } = await service.collect.listConfiguredSources({})
  expect(sources).toMatchObject([{ id: 'app', lastError: expect.stringContaining(path) }])
})

test('scheduled runs repeat, each on one of the replicas', async () => {
  await using service = await withService({ isShared: true, interval: 1 })
  await service.open()
  await until(
    () => service.texts(),
    (texts) => texts.length === 2,
  )
  await appendFile(service.log('app.log'), 'three\n')
  expect(
    await until(
      () => service.texts(),
      (texts) => texts.length > 2,
    ),
  ).toEqual(['one', 'two error', 'three'])
})

test('one of two replicas watches, and both report the same state; either accepts a reload', async () => {
  await using service = await withService({ isShared: true, isWatched: true })
  const other = await service.open()
  const states = () => Promise.all([service, other].map(({ collect }) => collect.getWatchStatus({})))
  const [one, two] = await until(states, (reported) => reported.every(({ running }) => running))
  expect(one?.sources).toEqual(['app', 'folder'])
  expect(two?.sources).toEqual(one?.sources)
  await writeSources(service.directory, `  - {id: app, path: ${service.log('app.log')}}\n`)
  await Promise.all([service, other].map(({ collect }) => collect.reloadWatch({})))
  await until(states, (reported) => reported.every(({ sources }) => sources.length === 1))
  expect(
    await until(
      () => other.texts(),
      (texts) => texts.length > 1,
    ),
  ).toEqual(['one', 'two error'])
})

test('the watcher is running from application startup, but not if it is disabled', async () => {
  await using watched = await withService({ isWatched: true })
  await until(
    () => watched.collect.getWatchStatus({}),
    ({ running, lastFlushAt }) => running && typeof lastFlushAt === 'string',
  )
  await using unwatched = await withService()
  expect(await unwatched.collect.getWatchStatus({})).toMatchObject({ running: false, sources: [], buffered: 0 })
})
