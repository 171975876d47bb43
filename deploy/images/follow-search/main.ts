/**
 * `node follow-search.js ORIGIN [QUERY]`: starts a search in an installation and follows its event stream to the end, as a
 * browser does. Exits with 0 if listings arrived; otherwise prints the error and exits with 1. An empty query reaches neither the
 * marketplace nor a worker.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const [origin = '', query = ''] = process.argv.slice(2)
const readySeconds = 60
const searchSeconds = 120

const awaitReady = async (): Promise<void> => {
  const until = Date.now() + readySeconds * 1_000
  for (let answer = ''; ; await sleep(500)) {
    answer = await fetch(`${origin}/ready`).then(
      (response) => response.text(),
      (error: Error) => `no response (${error.message})`,
    )
    if (/"status":"ready"/.test(answer)) return
    if (Date.now() > until) throw new Error(`${origin}/ready is not ready after ${readySeconds} s: ${answer}`)
  }
}

/** The frames of a stream, up to and including `done`. */
const readFrames = async (url: string): Promise<{ event: string; data: string }[]> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(searchSeconds * 1_000) })
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`)
  const frames: { event: string; data: string }[] = []
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = /^event: (.*)$/m.exec(text.slice(0, end))?.[1] ?? ''
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1] ?? ''
      text = text.slice(end + 2)
      if (event !== '') frames.push({ event, data })
      if (event === 'done') return frames
    }
  }
  throw new Error(`The stream of the search ended early, after: ${frames.map(({ event }) => event).join(', ')}.`)
}

const search = async (): Promise<string> => {
  const response = await fetch(`${origin}/listings/api/search/async?q=${encodeURIComponent(query)}`)
  const answer = await response.text()
  if (!response.ok) throw new Error(`The search was rejected with ${response.status}: ${answer}`)
  const { session_id: session } = JSON.parse(answer) as { session_id: string | null }
  if (session === null) return 'The search with an empty query was answered.'
  const frames = await readFrames(`${origin}/listings/api/updates/${session}`)
  const failed = frames.find(({ event }) => event === 'search_failed')
  if (failed) throw new Error(`The search failed: ${failed.data}`)
  const found = frames
    .filter(({ event }) => event === 'listings')
    .flatMap(({ data }) => (JSON.parse(data) as { listings: unknown[] }).listings)
  if (query !== '' && found.length === 0) throw new Error(`A search for ${query} found nothing.`)
  return `A search for "${query}" streamed ${frames.length} events with ${found.length} listings.`
}

try {
  await awaitReady()
  process.stdout.write(`${await search()}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
