import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The corpus of the log benchmarks; `describe` is its description. */
export type Corpus = { chunks: Uint8Array<ArrayBuffer>[]; lines: number; bytes: number; describe: string }

const step = 7_919
const linesPerChunk = 1_900

const sampleLines = (folder: string): string[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name, `${name}_2k.log.gz`))
    .filter(existsSync)
    .flatMap((path) => gunzipSync(readFileSync(path)).toString('latin1').split(/\r?\n/))
    .filter((line) => line !== '')

/** Synthetic lines that resemble those of real programs, used without the shared samples. */
const madeLines = (): string[] => {
  const makers: readonly ((n: number) => string)[] = [
    (n) =>
      `Jun ${String((n % 28) + 1).padStart(2)} 10:${String(n % 60).padStart(2, '0')}:${String((n * 7) % 60).padStart(2, '0')} attic sshd[${10000 + n}]: Failed password for root from 192.0.2.${n % 250} port ${30000 + n} ssh2`,
    (n) =>
      `2024-06-04 10:${String(n % 60).padStart(2, '0')}:00,${String(n % 1000).padStart(3, '0')} INFO [worker-${n % 16}] org.example.store.Block: received block blk_${n * 7919123} of size ${n * 64} from /10.0.${n % 250}.7`,
    (n) =>
      `[Tue Jun 04 10:${String(n % 60).padStart(2, '0')}:00 2024] [error] mod_jk child workerEnv in error state ${n % 10}`,
    (n) =>
      `2024-06-04 10:${String(n % 60).padStart(2, '0')}:00,123 - WARN  [SendWorker:${n * 31}:QuorumManager@${n % 900}] - Interrupted while waiting for message on queue`,
    (n) =>
      `192.0.2.${n % 250} - - [04/Jun/2024:10:${String(n % 60).padStart(2, '0')}:00 +0000] "GET /item/${n * 3} HTTP/1.1" ${n % 9 === 0 ? 404 : 200} ${n * 11} "-" "Mozilla/5.0"`,
  ]
  return Array.from({ length: 16_000 }, (_, n) => makers[n % makers.length]?.(n) ?? '')
}

/** Linear congruential generator (Numerical Recipes): every run uses the same digits. */
const createDigits = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * 10)
  }
}

/** The first `lines` lines of the corpus, in chunks of the size of an upload's. `samples` is the folder of the shared Loghub samples. */
export const makeCorpus = (lines: number, samples: string | undefined): Corpus => {
  const source = samples === undefined ? madeLines() : sampleLines(samples)
  const digit = createDigits(42)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for (let first = 0; first < lines; first += linesPerChunk) {
    const count = Math.min(linesPerChunk, lines - first)
    const text = Array.from({ length: count }, (_, index) => {
      const line = source[((first + index) * step) % source.length] ?? ''
      return `${line.replace(/\d{3,}/g, (digits) => digits.replace(/\d/g, () => String(digit())))}\n`
    }).join('')
    const chunk = Uint8Array.from(Buffer.from(text))
    chunks.push(chunk)
    bytes += chunk.length
  }
  const origin =
    samples === undefined
      ? 'synthetic lines (the shared samples are missing)'
      : `the ${source.length} lines of the shared Loghub samples`
  return {
    chunks,
    lines,
    bytes,
    describe: `${lines} lines, ${(bytes / lines).toFixed(0)} bytes each: ${origin} in steps of ${step}, every run of three or more digits replaced by random ones`,
  }
}
