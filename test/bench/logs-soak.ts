import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { makeCorpus } from '../../services/logs/bench/corpus.ts'
import { percentile } from '../../services/logs/bench/measure.ts'
import { sharedData } from '../support/shared-data.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'
import { median, round } from './machine.ts'

const seconds = Number(process.env.BENCH_SOAK_SECONDS ?? 600)
const linesPerSecond = Number(process.env.BENCH_SOAK_RATE ?? 20_000)
const linesPerBatch = 1_000
const tails = 2
const memoryEverySeconds = 5
const questions = ['kernel', 'authentication failure root', 'error failed', 'zookeeper OR quorumpeer', 'packet*', '']

type Soak = { trellis: Trellis; until: number; signal: AbortSignal }

const timed = async (work: () => Promise<Response>): Promise<number> => {
  const began = performance.now()
  const response = await work()
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`)
  return performance.now() - began
}

/** Asks again and again, a second after each question began, and gives how long each answer took, in ms. */
const everySecond = async ({ until, signal }: Soak, ask: (round: number) => Promise<number>): Promise<number[]> => {
  const times: number[] = []
  for (let round = 0; Date.now() < until; round += 1) {
    const began = performance.now()
    times.push(await ask(round))
    await pause(Math.max(0, 1_000 - (performance.now() - began)), undefined, { signal })
  }
  return times
}

/** Pushes batches at the rate, each until it is taken; says what was acknowledged. */
const send = async ({ trellis, until, signal }: Soak) => {
  const corpus = makeCorpus(100_000, sharedData('logs', 'loghub'))
  const lines = Buffer.concat(corpus.chunks).toString().trimEnd().split('\n')
  const counts = { sent: 0, accepted: 0, duplicates: 0, refused: 0, behind: 0 }
  const every = (1_000 * linesPerBatch) / linesPerSecond
  const push = async (body: string): Promise<void> => {
    for (;;) {
      const response = await fetch(`${trellis.origin}/logs/api/glean/batch?source_id=soak`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body,
        signal,
      })
      const answer = (await response.json()) as { accepted: number; duplicates: number; rejected: unknown[] }
      if (response.ok) {
        counts.accepted += answer.accepted
        counts.duplicates += answer.duplicates
        return
      }
      if (response.status !== 429 && response.status !== 503)
        throw new Error(`A batch was answered ${response.status}.`)
      counts.refused += 1
      await pause(Number(response.headers.get('retry-after') ?? 1) * 1_000, undefined, { signal })
    }
  }
  const began = performance.now()
  const pending = new Set<Promise<void>>()
  for (let batch = 0; Date.now() < until; batch += 1) {
    const late = performance.now() - began - batch * every
    if (late < 0) await pause(-late, undefined, { signal })
    else counts.behind = Math.max(counts.behind, late)
    const time = new Date().toISOString()
    const body = Array.from({ length: linesPerBatch }, () => {
      counts.sent += 1
      return JSON.stringify({ text: lines[counts.sent % lines.length], timestamp_iso: time, sequence: counts.sent })
    }).join('\n')
    // A few under way at once, as several senders would have.
    if (pending.size >= 8) await Promise.race(pending)
    const mine = push(body).finally(() => pending.delete(mine))
    pending.add(mine)
  }
  await Promise.all(pending)
  return counts
}

/** Follows what comes and counts it; reads as fast as it can. */
const follow = async ({ trellis, until }: Soak, query: string) => {
  const counts = { entries: 0, gaps: 0 }
  const leaving = AbortSignal.timeout(until - Date.now())
  try {
    const response = await fetch(`${trellis.origin}/logs/api/tail?${query}`, { signal: leaving })
    let rest = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      rest += chunk
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === 'event: entry') counts.entries += 1
        else if (line === 'event: gap') counts.gaps += 1
      }
    }
  } catch (error) {
    if (!leaving.aborted) throw error
  }
  return counts
}

const residentMegabytes = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

const watchMemory = async ({ trellis, until, signal }: Soak): Promise<number[]> => {
  const seen: number[] = []
  while (Date.now() < until) {
    seen.push(await residentMegabytes(trellis.process.pid))
    await pause(memoryEverySeconds * 1_000, undefined, { signal })
  }
  return seen
}

const shown = (name: string, times: readonly number[]): string =>
  `  ${name.padEnd(22)} p50 ${round(median([...times]), 1)} ms  p99 ${round(
    percentile(
      times.toSorted((a, b) => a - b),
      0.99,
    ),
    1,
  )} ms  most ${round(Math.max(...times), 1)} ms  (${times.length})`

/**
 * One process on files under a steady stream of pushed lines, while it is searched, followed and asked for a diagnosis every second. Settings:
 * BENCH_SOAK_SECONDS (600), BENCH_SOAK_RATE (20000 lines a second).
 */
export const benchSoak = async (): Promise<string[]> => {
  await using trellis = await startTrellis({}, { form: 'embedded' })
  const ending = new AbortController()
  const soak: Soak = { trellis, until: Date.now() + seconds * 1_000, signal: ending.signal }
  const search = (round: number) =>
    timed(() =>
      fetch(`${trellis.origin}/logs/api/search?q=${encodeURIComponent(questions[round % questions.length] ?? '')}`),
    )
  const diagnose = () =>
    timed(() =>
      fetch(`${trellis.origin}/logs/api/diagnose`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'why do logins fail since 10 minutes ago?' }),
      }),
    )
  try {
    const [sent, memory, searches, diagnoses, ...followed] = await Promise.all([
      send(soak),
      watchMemory(soak),
      everySecond(soak, search),
      everySecond(soak, diagnose),
      ...Array.from({ length: tails }, (_, tail) => follow(soak, tail === 0 ? 'q=sshd' : '')),
    ])
    const found = (await (await fetch(`${trellis.origin}/logs/api/search?source=soak&limit=1`)).json()) as {
      total: number
    }
    const third = Math.ceil(memory.length / 3)
    return [
      `${seconds} s at ${round(linesPerSecond)} lines/s in batches of ${linesPerBatch}, ${tails} tails, a search and a diagnosis each second:`,
      `  ${round(sent.sent)} lines sent, ${round(sent.accepted)} acknowledged, ${round(sent.duplicates)} duplicates; ${sent.refused} batches refused for a while, at most ${round(sent.behind)} ms behind the rate`,
      `  ${round(found.total)} found afterwards: ${found.total === sent.accepted ? 'none lost' : `${round(sent.accepted - found.total)} LOST`}`,
      shown('search', searches),
      shown('diagnosis', diagnoses),
      `  memory (resident)      first third ${round(median(memory.slice(0, third)))} MB, last third ${round(median(memory.slice(-third)))} MB, most ${round(Math.max(...memory))} MB`,
      ...followed.map(
        ({ entries, gaps }, tail) =>
          `  tail ${tail === 0 ? 'of a word' : 'of everything'}: ${round(entries)} entries shown, ${gaps} gaps`,
      ),
    ]
  } finally {
    ending.abort()
  }
}
