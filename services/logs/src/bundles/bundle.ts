import { setImmediate } from 'node:timers/promises'
import type { Incident } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import type { Entry } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { entryIdOf } from '../entries/identity.ts'
import { createMasker, type Masker } from '../masking/masker.ts'
import { restJson } from './rest-json.ts'

export const bundleVersion = 1
export const serviceVersion = '0.7.0'

/** As many entries as a bundle holds, and so many characters of their text; the earliest. */
export const maxBundledEntries = 1_000
const maxBundledText = 16 * 1024 * 1024
/** Masking such a stretch takes some tens of milliseconds at the worst; then others have their turn. */
const charactersPerTurn = 65_536

export type BundleInput = {
  incident: Incident
  entries: readonly Entry[]
  entryCount: number
  sanitize: boolean
  now: number
}

const fieldsOf = ({ fields }: Entry): unknown => (fields ? JSON.parse(fields) : undefined)

/** An entry in which the text is masked; its id follows from what it says now, since the old one would prove a guess. */
const maskTexts = (entry: Entry, masker: Masker): Entry => ({
  ...entry,
  text: masker.text(entry.text),
  message: masker.text(entry.message),
  fields: entry.fields ? JSON.stringify(masker.value(fieldsOf(entry))) : entry.fields,
})

const maskSource = (entry: Entry, masker: Masker): Entry => {
  const sourceId = masker.sourceId(entry.sourceId)
  const { sequence, text, timestampIso } = entry
  return { ...entry, sourceId, entryId: entryIdOf({ sourceId, sequence, text, timestampIso: timestampIso ?? null }) }
}

export const maskIncident = (incident: Incident, masker: Masker): Incident => {
  const { label, notes, query, sourceId, issueType } = incident
  return {
    ...incident,
    label: masker.text(label),
    notes: masker.text(notes),
    query: query ? masker.text(query) : query,
    sourceId: sourceId ? masker.sourceId(sourceId) : sourceId,
    issueType: issueType ? masker.sourceId(issueType) : issueType,
  }
}

/** Entries with placeholders, the same for the same value in all of them; sources last, since their parts may be hosts that texts name. */
export const maskEntries = async (entries: readonly Entry[], masker: Masker): Promise<Entry[]> => {
  const masked: Entry[] = []
  let sinceTurn = 0
  const takeTurns = async (entry: Entry) => {
    sinceTurn += entry.text.length
    if (sinceTurn < charactersPerTurn) return
    sinceTurn = 0
    await setImmediate()
  }
  for (const entry of entries) masker.learnWriter(fieldsOf(entry))
  for (const entry of entries) {
    masked.push(maskTexts(entry, masker))
    await takeTurns(entry)
  }
  // What a later entry or a field names stands in the clear in the texts before.
  for (const [index, entry] of masked.entries()) {
    masked[index] = maskTexts(entry, masker)
    await takeTurns(entry)
  }
  return masked.map((entry) => maskSource(entry, masker))
}

const withinRoom = (entries: readonly Entry[]): Entry[] => {
  let room = maxBundledText
  const fitting: Entry[] = []
  for (const entry of entries.slice(0, maxBundledEntries)) {
    room -= entry.text.length
    if (room < 0) break
    fitting.push(entry)
  }
  return fitting
}

/** A bundle as JSON text. `entry_count` says how many entries the incident has, should not all have had room. */
export const makeBundle = async ({ incident, entries, entryCount, sanitize, now }: BundleInput): Promise<string> => {
  const fitting = withinRoom(entries)
  const masker = sanitize ? createMasker() : undefined
  const shown = masker ? await maskEntries(fitting, masker) : fitting
  return JSON.stringify({
    bundle_version: bundleVersion,
    service_version: serviceVersion,
    exported_at: new Date(now).toISOString(),
    sanitized: sanitize,
    incident: restJson(masker ? maskIncident(incident, masker) : incident),
    entries: shown.map((entry) => restJson(entry, ['fields'])),
    entry_count: entryCount,
  })
}
