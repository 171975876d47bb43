import type { Origin, StoredEntry } from '../entries/entry.ts'
import { isoOf } from '../entries/iso-time.ts'
import type { Severity } from '../entries/severity-code.ts'
import { describeEntry } from '../formats/describe-entry.ts'
import type { EntryOverlay } from '../overlays/entry-overlay.ts'

const moment = (time: number | null): string => (time === null ? 'null' : `"${isoOf(time)}"`)

const scoresText = ({ anomaly, security }: Partial<EntryOverlay>): string =>
  [['anomaly', anomaly] as const, ['ml', security] as const]
    .map(
      ([name, score]) =>
        `"${name}_score":${JSON.stringify(score?.score ?? null)},"${name}_label":${JSON.stringify(score?.label ?? null)},` +
        `"${name}_scored_at":${moment(score?.scoredAt ?? null)}`,
    )
    .join(',')

/** JSON fragments that many entries share, as few as possible: each fragment costs about as much as its content. */
type Pieces = {
  beforeSequence: string
  /** By severity, for entries that are not repeated. */
  beforeText: Map<Severity | null, string>
  /** For entries that arrived in order and have no overlay. */
  beforeFields: string
}
const piecesByOrigin = new WeakMap<Origin, Pieces>()

const beforeText = (severity: Severity | null, repeatCount: number, { format }: Origin): string =>
  `,"severity":${JSON.stringify(severity)},"repeat_count":${repeatCount},"format":${JSON.stringify(format)},"text":`

const beforeFields = (isOutOfOrder: boolean, overlay: Partial<EntryOverlay>, { tenantId, anonymized }: Origin) =>
  `,"out_of_order":${isOutOfOrder},${scoresText(overlay)},"tenant_id":${JSON.stringify(tenantId ?? '')},` +
  `"anonymized":${anonymized === true},"fields":`

const createPieces = (origin: Origin): Pieces => ({
  beforeSequence: `,"source_id":${JSON.stringify(origin.sourceId)},"branch":${JSON.stringify(origin.branch)},"sequence":`,
  beforeText: new Map(),
  beforeFields: beforeFields(false, {}, origin),
})

const piecesOf = (origin: Origin): Pieces => {
  const found = piecesByOrigin.get(origin)
  if (found) return found
  const made = createPieces(origin)
  piecesByOrigin.set(origin, made)
  return made
}

const beforeTextOf = ({ severity, repeatCount, origin }: StoredEntry, pieces: Pieces): string => {
  if (repeatCount !== 1) return beforeText(severity, repeatCount, origin)
  const found = pieces.beforeText.get(severity)
  if (found !== undefined) return found
  const made = beforeText(severity, repeatCount, origin)
  pieces.beforeText.set(severity, made)
  return made
}

const tagsText = (tags: readonly string[]): string => (tags.length === 0 ? '[]' : JSON.stringify(tags))

/** Entries that arrive together share their time of arrival. */
let lastIngest = { time: Number.NaN, text: '' }
const ingestMoment = (time: number): string => {
  if (lastIngest.time !== time) lastIngest = { time, text: moment(time) }
  return lastIngest.text
}

const quoted = (text: string): string => `"${text}"`
const asJson = (text: string): string => JSON.stringify(text)
const orNull = (text: string | null, write: (text: string) => string): string => (text === null ? 'null' : write(text))

/**
 * The JSON of `EntryToRest(presentEntry(entry))`, written directly: at twenty thousand entries a second, creating the intermediate objects
 * costs more than writing the text.
 */
export const entryText = (entry: StoredEntry): string => {
  const { sender, text, origin, templateId } = entry
  const pieces = piecesOf(origin)
  const { message, fields, timestampRaw } = describeEntry(origin.format, text)
  const written = asJson(text)
  // If the text needs no escaping, its parts need none either.
  const part = written.length === text.length + 2 ? quoted : asJson
  const raw = sender?.timestampRaw === undefined ? orNull(timestampRaw, part) : asJson(sender.timestampRaw)
  const isPlain = !entry.outOfOrder && entry.overlay === undefined
  const last = isPlain ? pieces.beforeFields : beforeFields(entry.outOfOrder, entry.overlay ?? {}, origin)
  return (
    `{"entry_id":${asJson(entry.entryId)}` +
    `${pieces.beforeSequence}${entry.sequence},"timestamp_iso":${moment(entry.time)}` +
    `,"timestamp_raw":${raw},"ingest_time":${ingestMoment(entry.ingestTime)}` +
    `${beforeTextOf(entry, pieces)}${written},"message":${message === text ? written : part(message)}` +
    `,"truncated":${entry.truncated},"matched_patterns":${tagsText(entry.matchedPatterns)}` +
    `,"template_id":${orNull(templateId, quoted)}${last}${JSON.stringify(sender?.fields ?? fields)}}`
  )
}
