import { setImmediate } from 'node:timers/promises'
import type { Incident } from '@trellis/protos/ts/trellis/logs/v1/incidents.ts'
import type { Entry } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { entryIdOf } from '../entries/identity.ts'
import { createMasker, type Masker } from '../masking/masker.ts'
import { restJson } from './rest-json.ts'

export const bundleVersion = 1
export const serviceVersion = '0.7.0'

/** Maximum entries of a bundle, and characters of their texts; the earliest are included. */
export const maxBundledEntries = 1_000
const maxBundledText = 16 * 1024 * 1024
/** Masking this much takes tens of milliseconds at worst; then the event loop runs other work. */
const charactersBeforeYield = 65_536

export type BundleInput = {
  incident: Incident
  entries: readonly Entry[]
  entryCount: number
  sanitize: boolean
  now: number
}

const fieldsOf = ({ fields }: Entry): unknown => (fields ? JSON.parse(fields) : undefined)

/** Masks the texts of an entry. Its id must change as well, since the original id could verify a guess. */
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

/** Masks entries, with the same placeholder for the same value. Sources come last, since their parts may be hosts that texts name. */
export const maskEntries = async (entries: readonly Entry[], masker: Masker): Promise<Entry[]> => {
  const masked: Entry[] = []
  let sinceYield = 0
  const yieldIfDue = async (entry: Entry) => {
    sinceYield += entry.text.length
    if (sinceYield < charactersBeforeYield) return
    sinceYield = 0
    await setImmediate()
  }
  for (const entry of entries) masker.addWriterOf(fieldsOf(entry))
  for (const entry of entries) {
    masked.push(maskTexts(entry, masker))
    await yieldIfDue(entry)
  }
  // A second pass masks names that only a later entry or field has identified.
  for (const [index, entry] of masked.entries()) {
    masked[index] = maskTexts(entry, masker)
    await yieldIfDue(entry)
  }
  return masked.map((entry) => maskSource(entry, masker))
}

const withinLimits = (entries: readonly Entry[]): Entry[] => {
  let remaining = maxBundledText
  const fitting: Entry[] = []
  for (const entry of entries.slice(0, maxBundledEntries)) {
    remaining -= entry.text.length
    if (remaining < 0) break
    fitting.push(entry)
  }
  return fitting
}

/** A bundle as JSON text. `entry_count` is the number of entries of the incident, which may exceed that of the bundle. */
export const makeBundle = async ({ incident, entries, entryCount, sanitize, now }: BundleInput): Promise<string> => {
  const fitting = withinLimits(entries)
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
