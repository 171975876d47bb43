import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '../../services/logs/bench/measure.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'
import { median, round } from './machine.ts'
import { follow } from './soak-follower.ts'
import { send } from './soak-sender.ts'

const seconds = Number(process.env.BENCH_SOAK_SECONDS ?? 600)
const linesPerSecond = Number(process.env.BENCH_SOAK_RATE ?? 20_000)
const linesPerBatch = 1_000
const tails = 2
const memoryEverySeconds = 5
/** Unit of the CPU times in `/proc`: `USER_HZ`, which is 100 on every Linux. */
const ticksPerSecond = 100
const questions = ['kernel', 'authentication failure root', 'error failed', 'zookeeper OR quorumpeer', 'packet*', '']

type Soak = { trellis: Trellis; until: number; signal: AbortSignal }

const timed = async (work: () => Promise<Response>): Promise<number> => {
  const began = performance.now()
  const response = await work()
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`)
  return performance.now() - began
}

/** Sends a request every second, or as soon as the previous one is answered, and returns the latencies in ms. */
const everySecond = async ({ until, signal }: Soak, send: (round: number) => Promise<number>): Promise<number[]> => {
  const times: number[] = []
  for (let round = 0; Date.now() < until; round += 1) {
    const began = performance.now()
    times.push(await send(round))
    await pause(Math.max(0, 1_000 - (performance.now() - began)), undefined, { signal })
  }
  return times
}

const residentMegabytes = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** CPU seconds of a process so far, by thread name. */
const secondsByThread = async (pid: number | undefined): Promise<Map<string, number>> => {
  const seconds = new Map<string, number>()
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    // Fields are counted from the closing parenthesis of the name, because a name may contain blanks.
    const line = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')
    const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(line) ?? []
    const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number)
    const kind = Number(thread) === pid ? 'service' : name
    seconds.set(kind, (seconds.get(kind) ?? 0) + (user + system) / ticksPerSecond)
  }
  return seconds
}

const watchMemory = async ({ trellis, until, signal }: Soak): Promise<number[]> => {
  const seen: number[] = []
  while (Date.now() < until) {
    seen.push(await residentMegabytes(trellis.process.pid))
    await pause(memoryEverySeconds * 1_000, undefined, { signal })
  }
  return seen
}

const thirdsOf = (values: readonly number[]): number[][] => {
  const third = Math.ceil(values.length / 3)
  return [0, 1, 2].map((part) => values.slice(part * third, (part + 1) * third))
}

const centile = (times: readonly number[], part: number): string =>
  round(
    percentile(
      times.toSorted((a, b) => a - b),
      part,
    ),
    1,
  )

/** The thirds of the run show whether the cost grows with the stored data. */
const shown = (name: string, times: readonly number[]): string =>
  `  ${name.padEnd(22)} p50 ${centile(times, 0.5)} ms  p99 ${centile(times, 0.99)} ms  most ${round(Math.max(...times), 1)} ms  (${times.length}); p50 and p99 in the thirds: ${thirdsOf(
    times,
  )
    .map((part) => `${centile(part, 0.5)} / ${centile(part, 0.99)}`)
    .join(', ')}`

/**
 * Soaks one process on files with a steady stream of pushed lines, while it serves tails, and a search and a diagnosis every second. Settings:
 * BENCH_SOAK_SECONDS (600), BENCH_SOAK_RATE (20000 lines a second).
 */
export const benchSoak = async (): Promise<string[]> => {
  const profiles = process.env.BENCH_SOAK_PROFILES
  await using trellis = await startTrellis(
    profiles === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles} --cpu-prof-interval=2000` },
    { form: 'embedded' },
  )
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
      send({ origin: trellis.origin, linesPerSecond, linesPerBatch, until: soak.until, signal: ending.signal }),
      watchMemory(soak),
      everySecond(soak, search),
      everySecond(soak, diagnose),
      ...Array.from({ length: tails }, (_, tail) =>
        follow(`${trellis.origin}/logs/api/tail?${tail === 0 ? 'q=sshd' : ''}`, soak.until),
      ),
    ])
    const found = (await (await fetch(`${trellis.origin}/logs/api/search?source=soak&limit=1`)).json()) as {
      total: number
    }
    const used = await secondsByThread(trellis.process.pid)
    const perLine = (part: number) => round((part * 1e6) / sent.accepted, 1)
    const all = [...used.values()].reduce((sum, part) => sum + part, 0)
    if (profiles !== undefined) await trellis.stop()
    const [first, second, last] = thirdsOf(memory).map(median)
    return [
      `${seconds} s at ${round(linesPerSecond)} lines/s in batches of ${linesPerBatch}, ${tails} tails, a search and a diagnosis each second:`,
      `  ${round(sent.sent)} lines sent, ${round(sent.accepted)} acknowledged, ${round(sent.duplicates)} duplicates; ${sent.refused} batches refused and retried, at most ${round(sent.behind)} ms behind the rate`,
      `  ${round(found.total)} found afterwards: ${found.total === sent.accepted ? 'none lost' : `${round(sent.accepted - found.total)} LOST`}`,
      shown('search', searches),
      shown('diagnosis', diagnoses),
      `  memory (resident)      ${[first, second, last].map((part) => round(part ?? Number.NaN)).join(', ')} MB in the thirds, most ${round(Math.max(...memory))} MB`,
      `  CPU a line             ${perLine(all)} us: ${[...used]
        .toSorted((a, b) => b[1] - a[1])
        .map(([name, part]) => `${name} ${perLine(part)}`)
        .join(', ')}; the bench itself ${perLine((process.cpuUsage().user + process.cpuUsage().system) / 1e6)}`,
      ...followed.map(
        ({ entries, gaps }, tail) =>
          `  tail ${tail === 0 ? 'filtered by a word' : 'of everything'}: ${round(entries)} entries shown, ${gaps} gaps`,
      ),
    ]
  } finally {
    ending.abort()
  }
}
