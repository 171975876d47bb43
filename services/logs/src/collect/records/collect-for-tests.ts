import { createCheckpoints } from '../checkpoint-store.ts'
import { type openCollecting, withCollecting } from '../collecting-for-tests.ts'
import type { Collector } from '../collector.ts'
import { createKeeper } from '../keep-chunks.ts'
import { isProblem, readSource } from '../read-source.ts'
import type { SourceEntry } from '../source-entry.ts'

/** A source as a sources file would tell it. */
export const readEntry = (given: Record<string, unknown>): SourceEntry => {
  const source = readSource({ host: 'attic', ...given })
  if (isProblem(source)) throw new TypeError(`${source.key} ${source.problem}`)
  return source
}

type Opened = Awaited<ReturnType<typeof openCollecting>>

/** Follows a source into an engine, as the watcher does, until it is told to stop. */
const followInto = <Entry extends SourceEntry>(
  collector: Collector<Entry>,
  source: SourceEntry,
  { engine, store }: Opened,
) => {
  const stopping = new AbortController()
  const problems: string[] = []
  const checkpoints = createCheckpoints({ db: store.db, source: source.id, now: Date.now })
  const keeper = createKeeper({ engine, source, checkpoints })
  const { follow } = collector
  if (!follow) throw new TypeError('This collector follows nothing.')
  const onProblem = (problem: string) => problems.push(problem)
  const request = { source: source as Entry, checkpoints, force: false, signal: stopping.signal, onProblem }
  const following = (async () => {
    for await (const taken of follow(request)) await keeper.take(taken)
    await keeper.finish(true)
  })()
  following.catch(() => undefined)
  return {
    problems,
    /** Ends it, and gives what was stored. */
    stop: async () => {
      stopping.abort()
      await following
      return keeper.kept()
    },
  }
}

/** A way of collecting into an engine and checkpoints, as a run does. */
export const collectInto = <Entry extends SourceEntry>(collector: Collector<Entry>, opened: Opened) => {
  return {
    entries: async () => (await opened.entries()).toReversed(),
    glean: async (source: SourceEntry, { force = false, signal = new AbortController().signal } = {}) => {
      const problems: string[] = []
      const checkpoints = createCheckpoints({ db: opened.store.db, source: source.id, now: Date.now })
      const keeper = createKeeper({ engine: opened.engine, source, checkpoints })
      const onProblem = (problem: string) => problems.push(problem)
      const request = { source: source as Entry, checkpoints, force, signal, onProblem }
      try {
        for await (const taken of collector.collect(request)) await keeper.take(taken)
      } catch (error) {
        await keeper.finish(false)
        throw error
      }
      await keeper.finish(!signal.aborted)
      const { counts, formats, bytes } = keeper.kept()
      return { ...counts, formats, bytes, problems }
    },
    checkpoints: (source: string) => createCheckpoints({ db: opened.store.db, source, now: Date.now }),
    follow: (source: SourceEntry) => followInto(collector, source, opened),
  }
}

/** An engine and checkpoints of their own, and a way of collecting into them. */
export const withCollector = async <Entry extends SourceEntry>(collector: Collector<Entry>) => {
  const opened = await withCollecting()
  return {
    ...collectInto(collector, opened),
    directory: opened.directory,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
