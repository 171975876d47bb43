import { createCheckpoints } from '../checkpoint-store.ts'
import { createChunkWriter } from '../chunk-writer.ts'
import { type openCollecting, withCollecting } from '../collecting-for-tests.ts'
import type { Collector } from '../collector.ts'
import { isProblem, readSource } from '../read-source.ts'
import type { SourceEntry } from '../source-entry.ts'

/** A source as an entry of a sources file describes it. */
export const readEntry = (fields: Record<string, unknown>): SourceEntry => {
  const source = readSource({ host: 'attic', ...fields })
  if (isProblem(source)) throw new TypeError(`${source.key} ${source.problem}`)
  return source
}

type Opened = Awaited<ReturnType<typeof openCollecting>>

/** Follows a source into an engine, as the watcher does, until it is stopped. */
const followInto = <Entry extends SourceEntry>(
  collector: Collector<Entry>,
  source: SourceEntry,
  { engine, store }: Opened,
) => {
  const stopping = new AbortController()
  const problems: string[] = []
  const checkpoints = createCheckpoints({ db: store.db, source: source.id, now: Date.now })
  const writer = createChunkWriter({ engine, source, checkpoints })
  const { follow } = collector
  if (!follow) throw new TypeError('This collector does not support following.')
  const onProblem = (problem: string) => problems.push(problem)
  const request = { source: source as Entry, checkpoints, force: false, signal: stopping.signal, onProblem }
  const following = (async () => {
    for await (const taken of follow(request)) await writer.take(taken)
    await writer.finish(true)
  })()
  following.catch(() => undefined)
  return {
    problems,
    /** Stops it, and returns what was stored. */
    stop: async () => {
      stopping.abort()
      await following
      return writer.result()
    },
  }
}

/** Collects into an engine and checkpoints, as a run does. */
export const collectInto = <Entry extends SourceEntry>(collector: Collector<Entry>, opened: Opened) => {
  return {
    entries: async () => (await opened.entries()).toReversed(),
    glean: async (source: SourceEntry, { force = false, signal = new AbortController().signal } = {}) => {
      const problems: string[] = []
      const checkpoints = createCheckpoints({ db: opened.store.db, source: source.id, now: Date.now })
      const writer = createChunkWriter({ engine: opened.engine, source, checkpoints })
      const onProblem = (problem: string) => problems.push(problem)
      const request = { source: source as Entry, checkpoints, force, signal, onProblem }
      try {
        for await (const taken of collector.collect(request)) await writer.take(taken)
      } catch (error) {
        await writer.finish(false)
        throw error
      }
      await writer.finish(!signal.aborted)
      const { counts, formats, bytes } = writer.result()
      return { ...counts, formats, bytes, problems }
    },
    checkpoints: (source: string) => createCheckpoints({ db: opened.store.db, source, now: Date.now }),
    follow: (source: SourceEntry) => followInto(collector, source, opened),
  }
}

/** An engine with its checkpoints, and a collector that stores into them. */
export const withCollector = async <Entry extends SourceEntry>(collector: Collector<Entry>) => {
  const opened = await withCollecting()
  return {
    ...collectInto(collector, opened),
    directory: opened.directory,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
