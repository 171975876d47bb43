import type { FaultyInstallation } from './installation.ts'
import { eventually, isOk, postJson, type Scenario, send, untilAccepted } from './scenario.ts'

type Lines = { source: string; texts: string[] }

const linesOf = (key: string, source: string, count: number): Lines => ({
  source: `${source}-${key}`,
  texts: Array.from({ length: count }, (_, index) => `faultline ${source} ${key} n${index}`),
})

const batchOf = ({ source, texts }: Lines) => ({ source_id: source, entries: texts.map((text) => ({ text })) })
const push = ({ origin }: FaultyInstallation, lines: Lines) =>
  postJson(`${origin}/logs/api/glean/batch`, batchOf(lines))

const upload = ({ origin }: FaultyInstallation, { source, texts }: Lines) => {
  const form = new FormData()
  form.append('source_id', source)
  form.append('file', new Blob([texts.map((text) => `${text}\n`).join('')]), `${source}.log`)
  return send(`${origin}/logs/api/ingest/upload?wait=true`, { method: 'POST', body: form })
}

/** All texts of a source, by paging through searches. */
const found = async ({ origin }: FaultyInstallation, source: string): Promise<string[]> => {
  const texts: string[] = []
  for (let cursor = ''; ; ) {
    const { status, json } = await send(
      `${origin}/logs/api/search?q=faultline&source=${source}&limit=1000&order=time${cursor}`,
    )
    if (status !== 200) throw new Error(`A search is answered ${status} ${JSON.stringify(json)}`)
    texts.push(...(json.entries as { text: string }[]).map(({ text }) => text))
    if (!json.next_cursor) return texts
    cursor = `&cursor=${encodeURIComponent(String(json.next_cursor))}`
  }
}

/** Violations for a source: each expected text must be found exactly once, and nothing else. */
const differences = async (installation: FaultyInstallation, { source, texts }: Lines): Promise<string[]> => {
  const actual = (await found(installation, source)).toSorted()
  const expected = texts.toSorted()
  const isSame = actual.length === expected.length && actual.every((text, index) => text === expected[index])
  return isSame
    ? []
    : [`${source} has ${actual.length} entries (${new Set(actual).size} distinct) for ${expected.length}`]
}

const storing = (name: string, count: number, store: typeof push): Scenario<Lines> => ({
  name,
  prepare: async (_installation, key) => linesOf(key, name, count),
  operate: async (installation, lines) => isOk(await store(installation, lines)),
  check: async (installation, lines, acknowledged) => [
    ...(acknowledged ? await eventually(() => differences(installation, lines)) : []),
    ...(await untilAccepted(`${name}, repeated`, () => store(installation, lines))),
    ...(await eventually(() => differences(installation, lines))),
  ],
})

/** A pushed batch, and an upload with `wait=true`. */
export const ingest = storing('ingest', 5, push)
export const ingestUpload = storing('ingest-upload', 20, upload)

type Deletion = { deleted: Lines; other: Lines }

const remove = ({ origin }: FaultyInstallation, { source }: Lines) =>
  send(`${origin}/logs/api/sources/${source}`, { method: 'DELETE' })

export const deletion: Scenario<Deletion> = {
  name: 'delete',
  prepare: async (installation, key) => {
    const state = { deleted: linesOf(key, 'deleted', 10), other: linesOf(key, 'other', 10) }
    for (const lines of [state.deleted, state.other]) {
      const wrong = await untilAccepted('a batch', () => push(installation, lines))
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
    }
    return state
  },
  operate: async (installation, { deleted }) => isOk(await remove(installation, deleted)),
  check: async (installation, { deleted, other }, acknowledged) => {
    const gone = { ...deleted, texts: [] }
    return [
      ...(acknowledged ? await eventually(() => differences(installation, gone)) : []),
      ...(await untilAccepted(
        'the deletion, repeated',
        () => remove(installation, deleted),
        (answer) => isOk(answer) || answer.status === 404,
      )),
      ...(await eventually(() => differences(installation, gone))),
      ...(await eventually(() => differences(installation, other))),
    ]
  },
}

const batches = 3
const batchLines = 600
const idleMilliseconds = 300

/** Waits until the log engine's index threads are idle, for at most 10 s. */
const untilIdle = async ({ control }: FaultyInstallation) => {
  let last = ''
  for (const limit = Date.now() + 10_000; Date.now() < limit; ) {
    const counts = JSON.stringify((await control.counts()).filter(({ thread }) => thread === 'index-worker'))
    if (counts === last) return
    last = counts
    await new Promise((resolve) => setTimeout(resolve, idleMilliseconds))
  }
}

/** Pushes enough lines that segments are flushed and merged. */
export const compaction: Scenario<Lines[]> = {
  name: 'compaction',
  prepare: async (_installation, key) =>
    Array.from({ length: batches }, (_, index) => linesOf(`${key}-${index}`, 'compaction', batchLines)),
  operate: async (installation, all) => {
    const answers = []
    for (const lines of all) answers.push(await push(installation, lines))
    await untilIdle(installation)
    return answers.every(isOk)
  },
  check: async (installation, all, acknowledged) => {
    const wrong: string[] = []
    for (const lines of all) {
      if (acknowledged) wrong.push(...(await eventually(() => differences(installation, lines))))
      wrong.push(...(await untilAccepted('a batch, repeated', () => push(installation, lines))))
      wrong.push(...(await eventually(() => differences(installation, lines))))
    }
    return wrong
  },
}
