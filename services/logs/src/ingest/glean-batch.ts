import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { failure, isFailure } from '@trellis/kit/errors'
import type {
  GleanBatchParameters,
  GleanBatchResponse,
  RejectedEntry,
} from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { createBatchBuilder, type NewEntry } from '../entries/batch-builder.ts'
import type { Origin, SenderDetails } from '../entries/entry.ts'
import { severities, severityCode } from '../entries/severity-code.ts'
import { cleanLine, mostTextBytes } from '../formats/clean.ts'
import { createFileReader } from '../formats/detect.ts'
import { createHeader } from '../formats/header.ts'
import { plainFormat } from '../formats/in-force.ts'
import { createTimeReader, readEpoch } from '../formats/time.ts'
import { utc } from '../formats/zone.ts'
import type { IngestResult } from '../segments/shard.ts'
import type { World } from '../world.ts'

/** What a batch is kept with. */
export type Intake = Pick<World, 'engine' | 'pressure' | 'now'> & {
  config: Pick<World['config'], 'maximumBatchMegabytes'>
  /** Whose entries they are; nobody's in particular unless told. */
  owner?: Pick<Origin, 'branch' | 'tenantId'>
  /** Makes, for one batch, what each of its entries becomes before it is kept. */
  createChange?: () => (entry: NewEntry) => NewEntry
}

const mostEntries = 50_000
const entriesPerBatch = 4_096
const mostSequence = 2 ** 52

type Given = Record<string, unknown>
const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type BodyOptions = { isGzip: boolean; mostBytes: number; hold: (bytes: number) => void }

const readBody = async (
  content: AsyncIterable<Uint8Array>,
  { isGzip, mostBytes, hold }: BodyOptions,
): Promise<Buffer> => {
  const source = isGzip ? Readable.from(content).pipe(createGunzip()) : content
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of source) {
      size += part.length
      if (size > mostBytes)
        throw failure(
          'too_large',
          `A batch may have ${Math.round(mostBytes / 1024 / 1024)} MB, unpacked (SERVICE_MAX_BATCH_MB). Send it in parts.`,
        )
      hold(part.length)
      parts.push(part)
    }
  } catch (error) {
    const isBroken = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    throw isBroken ? failure('malformed', 'The gzip body breaks off or is damaged.', { cause: error }) : error
  }
  return Buffer.concat(parts)
}

/** The body as a list of whatever it has: `{source_id, entries}`, or one JSON value a line. What is no JSON on a line stays undefined. */
const listOf = (body: string): { sourceId: unknown; entries: unknown[] } => {
  const whole = parse(body)
  if (isObject(whole) && 'entries' in whole) {
    if (!Array.isArray(whole.entries)) throw failure('invalid', 'entries must be a list.')
    return { sourceId: whole.source_id, entries: whole.entries }
  }
  if (Array.isArray(whole)) return { sourceId: undefined, entries: whole }
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  const entries = lines.map(parse)
  if (entries.length === 0 || entries[0] === undefined)
    throw failure('malformed', 'The body is neither {"source_id": ..., "entries": [...]} nor one JSON object a line.')
  return { sourceId: undefined, entries }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Read = { entry: NewEntry } | { reason: string }

/** Reads entries as their senders put them. Origins and occurrences are those of one batch. */
const createEntryReader = (
  defaultSource: string | undefined,
  reference: number,
  owner: Pick<Origin, 'branch' | 'tenantId'> = { branch: null, tenantId: null },
) => {
  const reader = createFileReader({ zone: utc, reference })
  const readIso = createTimeReader('iso', { zone: utc, reference })
  const header = createHeader()
  const origins = new Map<string, Origin>()
  const occurrences = new Map<string, number>()

  const originOf = (sourceId: string, format: string): Origin => {
    const key = `${sourceId}\0${format}`
    const known = origins.get(key) ?? { sourceId, ...owner, format }
    origins.set(key, known)
    return known
  }
  const timeOf = (given: unknown): number => {
    if (typeof given === 'number') return readEpoch(String(given))
    return typeof given === 'string' ? readIso(given) : Number.NaN
  }
  return (given: unknown): Read => {
    if (!isObject(given)) return { reason: 'This is no JSON object.' }
    const { text, timestamp_iso: written, severity, sequence, entry_id: entryId, fields } = given
    const sourceId = given.source_id ?? defaultSource
    if (typeof text !== 'string' || text.trim() === '') return { reason: 'text is missing.' }
    if (typeof sourceId !== 'string' || sourceId === '' || sourceId.length > 253)
      return { reason: 'source_id is missing or too long.' }
    const level = severities.find((known) => known === severity)
    if (severity !== undefined && severity !== null && !level)
      return { reason: 'severity must be CRITICAL, ERROR, WARN or null.' }
    const hasSequence = sequence !== undefined && sequence !== null
    if (hasSequence && !(Number.isInteger(sequence) && Number(sequence) >= 0 && Number(sequence) <= mostSequence))
      return { reason: 'sequence must be a whole number of at least 0.' }
    if (
      entryId !== undefined &&
      entryId !== null &&
      (typeof entryId !== 'string' || entryId === '' || entryId.length > 128)
    )
      return { reason: 'entry_id must be a text of at most 128 characters.' }
    const cleaned = text.split('\n').map(cleanLine).join('\n').toWellFormed()
    const bytes = Buffer.from(cleaned)
    const kept =
      bytes.length > mostTextBytes
        ? bytes
            .subarray(0, mostTextBytes)
            .toString('utf8')
            .replace(/\ufffd$/, '')
        : cleaned
    const format = reader.read(kept.split('\n', 1)[0] ?? '', header) ?? plainFormat
    const told = timeOf(written)
    const isUnread = written !== undefined && written !== null && Number.isNaN(told)
    const time = Number.isNaN(told) && format !== plainFormat && !isUnread ? header.time : told
    const occurrence = `${sourceId}\0${time}\0${kept}`
    const nth = (occurrences.get(occurrence) ?? 0) + 1
    occurrences.set(occurrence, nth)
    const sender: SenderDetails = {
      ...(typeof entryId === 'string' && { entryId }),
      ...(isObject(fields) && { fields }),
      ...(isUnread && { timestampRaw: String(written) }),
    }
    return {
      entry: {
        origin: originOf(sourceId, format),
        sequence: hasSequence ? Number(sequence) : nth,
        time,
        severity: level ? severityCode[level] : format === plainFormat ? undefined : header.severity,
        repeatCount: 1,
        text: kept,
        truncated: bytes.length > mostTextBytes,
        outOfOrder: false,
        ...(Object.keys(sender).length > 0 && { sender }),
      },
    }
  }
}

/** A disk or a server that does not take entries is no fault of who sends them: they may come again. */
const keepBatch = async ({ engine }: Intake, batch: ArrayBuffer): Promise<IngestResult> => {
  try {
    return await engine.ingest(batch)
  } catch (cause) {
    if (isFailure(cause)) throw cause
    throw failure('unavailable', 'Not all entries could be kept. Sending them again keeps the rest.', {
      cause,
      retryAfterSeconds: 5,
    })
  }
}

/** Keeps a pushed batch; answers when all of it is durable. The same batch twice stores nothing twice. */
export const receiveBatch = async (
  world: Intake,
  parameters: GleanBatchParameters,
  content: AsyncIterable<Uint8Array>,
): Promise<GleanBatchResponse> => {
  using held = world.pressure.begin()
  const body = await readBody(content, {
    isGzip: parameters.contentEncoding === 'gzip',
    mostBytes: world.config.maximumBatchMegabytes * 1024 * 1024,
    hold: held.hold,
  })
  const { sourceId, entries } = listOf(body.toString('utf8'))
  if (entries.length > mostEntries)
    throw failure('too_large', `A batch may have ${mostEntries} entries. Send it in parts.`)
  const read = createEntryReader(
    typeof sourceId === 'string' ? sourceId : (parameters.sourceId ?? undefined),
    world.now(),
    world.owner,
  )
  const change = world.createChange?.() ?? ((entry: NewEntry) => entry)
  const builder = createBatchBuilder(entriesPerBatch, 256 * 1024)
  const rejected: RejectedEntry[] = []
  const keeping: Promise<IngestResult>[] = []
  const keep = () => {
    if (builder.count > 0) keeping.push(keepBatch(world, builder.finish(world.now())))
  }
  for (const [index, given] of entries.entries()) {
    const result = read(given)
    if ('reason' in result) rejected.push({ index, reason: result.reason })
    else builder.add(change(result.entry))
    if (builder.count === entriesPerBatch) keep()
  }
  keep()
  // All are waited for, also when one fails: what the request holds is held until then.
  await Promise.allSettled(keeping)
  const kept = await Promise.all(keeping)
  return {
    accepted: kept.reduce((sum, { entries }) => sum + entries, 0),
    duplicates: kept.reduce((sum, { duplicates }) => sum + duplicates, 0),
    rejected,
  }
}
