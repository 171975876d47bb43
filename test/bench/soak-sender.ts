import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { makeCorpus } from '../../services/logs/bench/corpus.ts'
import { sharedData } from '../support/shared-data.ts'

/** All sequences have the same number of digits, so that one can be overwritten by another. */
const firstSequence = 100_000_000_000
const noTime = '0000-00-00T00:00:00.000Z'
const atOnce = 8

export type SendOptions = {
  origin: string
  linesPerSecond: number
  linesPerBatch: number
  until: number
  signal: AbortSignal
}

/** A body with the offsets of the times and sequences, which differ each time it is sent. */
type Prepared = { bytes: Buffer; times: number[]; sequences: number[] }

const prepare = (lines: readonly string[]): Prepared => {
  const times: number[] = []
  const sequences: number[] = []
  let size = 0
  const parts = lines.map((line) => {
    const head = `{"text":${JSON.stringify(line)},"timestamp_iso":"`
    const part = `${head}${noTime}","sequence":${firstSequence}}\n`
    const time = size + Buffer.byteLength(head)
    times.push(time)
    sequences.push(time + noTime.length + '","sequence":'.length)
    size += Buffer.byteLength(part)
    return part
  })
  return { bytes: Buffer.from(parts.join('')), times, sequences }
}

const writeDigits = (bytes: Buffer, end: number, number: number): void => {
  for (let offset = end, left = number; left > 0; left = Math.floor(left / 10)) bytes[--offset] = 48 + (left % 10)
}

/** Returns the body with the current time and the next sequences. */
const stamp = ({ bytes, times, sequences }: Prepared, first: number): Buffer => {
  const body = Buffer.from(bytes)
  const time = Buffer.from(new Date().toISOString())
  for (const offset of times) time.copy(body, offset)
  const digits = String(firstSequence).length
  sequences.forEach((offset, line) => {
    writeDigits(body, offset + digits, firstSequence + first + line)
  })
  return body
}

type Answer = { status: number; retryAfter: number; body: { accepted: number; duplicates: number } }

const post = (url: string, agent: Agent, body: Buffer, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-ndjson', 'content-length': body.length }
    const sent = request(url, { method: 'POST', agent, headers, signal }, async (response) => {
      try {
        const parts: Buffer[] = []
        for await (const part of response) parts.push(part as Buffer)
        const status = response.statusCode ?? 0
        const retryAfter = Number(response.headers['retry-after'] ?? 1)
        resolve({ status, retryAfter, body: JSON.parse(Buffer.concat(parts).toString()) as Answer['body'] })
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(body)
  })

/**
 * Pushes batches at the rate, retries each until it is accepted, and returns the counts. Bodies are prepared beforehand and only times
 * and sequences are written per request, because the sender shares its cores with the measured service.
 */
export const send = async ({ origin, linesPerSecond, linesPerBatch, until, signal }: SendOptions) => {
  const corpus = makeCorpus(100_000, sharedData('logs', 'loghub'))
  const lines = Buffer.concat(corpus.chunks).toString().trimEnd().split('\n')
  const prepared = Array.from({ length: Math.floor(lines.length / linesPerBatch) }, (_, batch) =>
    prepare(lines.slice(batch * linesPerBatch, (batch + 1) * linesPerBatch)),
  )
  const counts = { sent: 0, accepted: 0, duplicates: 0, refused: 0, behind: 0 }
  using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: atOnce }), {
    [Symbol.dispose]: () => agent.destroy(),
  })
  const push = async (body: Buffer): Promise<void> => {
    for (;;) {
      const answer = await post(`${origin}/logs/api/glean/batch?source_id=soak`, agent, body, signal)
      if (answer.status === 200) {
        counts.accepted += answer.body.accepted
        counts.duplicates += answer.body.duplicates
        return
      }
      if (answer.status !== 429 && answer.status !== 503) throw new Error(`A batch was answered ${answer.status}.`)
      counts.refused += 1
      await pause(answer.retryAfter * 1_000, undefined, { signal })
    }
  }
  const every = (1_000 * linesPerBatch) / linesPerSecond
  const began = performance.now()
  const pending = new Set<Promise<void>>()
  for (let batch = 0; Date.now() < until; batch += 1) {
    const late = performance.now() - began - batch * every
    if (late < 0) await pause(-late, undefined, { signal })
    else counts.behind = Math.max(counts.behind, late)
    // A few concurrent requests, as from several senders.
    while (pending.size >= atOnce) await Promise.race(pending)
    const next = prepared[batch % prepared.length]
    if (!next) throw new Error('There are no lines to send.')
    const mine = push(stamp(next, counts.sent)).finally(() => pending.delete(mine))
    counts.sent += linesPerBatch
    pending.add(mine)
  }
  await Promise.all(pending)
  return counts
}
