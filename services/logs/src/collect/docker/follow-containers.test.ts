import { describe, expect, test } from 'vitest'
import { readEntry, withCollector } from '../records/collect-for-tests.ts'
import type { LocalContainerEntry } from '../source-entry.ts'
import { until } from '../until-for-tests.ts'
import { createContainerCollector } from './container-collector.ts'
import { serveEngine } from './engine-for-tests.ts'

const at = (second: number) => `2026-03-01T09:15:${String(second).padStart(2, '0')}+01:00`
const line = (second: number, text: string) => ({ at: at(second), text })

const withEngine = async (containers: string[] = []) => {
  const stack = new AsyncDisposableStack()
  const engine = stack.use(await serveEngine())
  const collector = createContainerCollector({
    now: Date.now,
    flush: { milliseconds: 5, records: 100 },
    pollMilliseconds: 20,
  })
  const dependencies = stack.use(await withCollector(collector))
  const source = readEntry({
    id: 'pods',
    transport: 'local',
    glean_type: 'podman',
    socket: engine.socket,
    containers,
  })
  const texts = async () => (await dependencies.entries()).map(({ text }) => text)
  return { engine, collector, dependencies, source, texts, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('an engine that responds as podman does', () => {
  test('returns the logs of its containers, with their timestamps and outputs', async () => {
    await using opened = await withEngine()
    const { engine, dependencies, source } = opened
    const id = engine.add('web', false)
    engine.write(id, line(1, 'listening'), { ...line(2, 'binds to 80'), stream: 'stderr' })
    expect(await dependencies.glean(source)).toMatchObject({ entries: 2, problems: [] })
    const entries = await dependencies.entries()
    expect(entries.map(({ origin, text, severity }) => [origin.sourceId, text, severity])).toEqual([
      ['pods:attic:web', 'listening', null],
      ['pods:attic:web', 'binds to 80', 'WARN'],
    ])
    expect(entries[0]?.time).toBe(Date.parse('2026-03-01T08:15:01Z'))
    engine.write(id, line(3, 'again'))
    expect(await dependencies.glean(source)).toMatchObject({ entries: 1, duplicates: 0 })
  })

  test('is followed: new lines arrive live, also those of containers that are started meanwhile', async () => {
    await using opened = await withEngine(['web', 'job'])
    const { engine, dependencies, source, texts } = opened
    const web = engine.add('web')
    const other = engine.add('other')
    engine.write(web, line(1, 'before'))
    const following = dependencies.follow(source)
    await until(
      () => engine.followersOf(web),
      (followers) => followers === 1,
    )
    engine.write(web, line(2, 'while'))
    const job = engine.add('job')
    await until(
      () => engine.followersOf(job),
      (followers) => followers === 1,
    )
    engine.write(job, line(3, 'job done'))
    engine.end(job)
    await until(
      () => engine.requested.filter((path) => path.includes(`${job}/logs`)).length,
      // Followed, and read once more after its end.
      (requests) => requests === 2,
    )
    await until(texts, (stored) => stored.length === 3)
    expect(await following.stop()).toMatchObject({ counts: { entries: 3 } })
    expect((await texts()).toSorted()).toEqual(['before', 'job done', 'while'])
    expect(engine.followersOf(other)).toBe(0)
    expect(following.problems).toEqual([])
  })

  test('is followed from the last stored line, and a lost connection neither loses nor duplicates lines', async () => {
    await using opened = await withEngine()
    const { engine, dependencies, source, texts } = opened
    const web = engine.add('web')
    engine.write(web, line(1, 'one'))
    await dependencies.glean(source)
    const following = dependencies.follow(source)
    const isFollowed = () =>
      until(
        () => engine.followersOf(web),
        (followers) => followers === 1,
      )
    await isFollowed()
    engine.write(web, line(2, 'two'))
    engine.breakOff(web)
    engine.write(web, line(3, 'three'))
    await isFollowed()
    engine.write(web, line(4, 'four'))
    expect(await following.stop()).toMatchObject({ counts: { duplicates: 0 } })
    // Lines that arrived while it was stopped are read by the next run.
    await dependencies.glean(source)
    expect(await texts()).toEqual(['one', 'two', 'three', 'four'])
  })

  test('a container that is removed while it is read is reported', async () => {
    await using opened = await withEngine()
    const { engine, dependencies, source } = opened
    engine.write(engine.add('here', false), line(1, 'remaining'))
    const gone = engine.add('gone', false)
    engine.refuse(gone)
    expect(await dependencies.glean(source)).toMatchObject({
      entries: 1,
      problems: [`gone: The engine reports an error: no container with name or ID "${gone}" found: no such container`],
    })
  })

  test('an engine that does not exist ends the following with an error that names its socket', async () => {
    await using opened = await withEngine()
    const source = readEntry({ id: 'pods', transport: 'local', glean_type: 'podman', socket: '/not/there.sock' })
    const request = { checkpoints: opened.dependencies.checkpoints('pods'), force: false, onProblem: () => undefined }
    const signal = new AbortController().signal
    const following = opened.collector.follow?.({ ...request, source: source as LocalContainerEntry, signal })
    const all = async () => {
      for await (const batch of following ?? []) expect(batch).toBeDefined()
    }
    await expect(all()).rejects.toThrow('/not/there.sock cannot be connected to: it does not exist')
  })
})
