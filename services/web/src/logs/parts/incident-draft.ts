/** What is known of an incident before it is made. */
export type Draft = {
  label?: string
  started_at?: string | undefined
  ended_at?: string | undefined
  query?: string
  source_id?: string | undefined
  severity?: string | undefined
  notes?: string
  /** Entries to attach, to a new incident or to one that exists. */
  entry_ids?: readonly string[]
}

/** How many entries the server attaches at once. */
export const maxAttached = 100

type Attached = { entry_id: string; timestamp_iso: string | null; severity: string | null; source_id: string }

/** The draft of an incident of some entries: their time, their worst severity, and their source if they have one in common. */
export const draftOf = (entries: readonly Attached[]): Draft => {
  const times = entries.flatMap(({ timestamp_iso: time }) => time ?? []).toSorted()
  const sources = new Set(entries.map(({ source_id: source }) => source))
  return {
    started_at: times[0],
    ended_at: times.at(-1),
    severity: ['CRITICAL', 'ERROR', 'WARN'].find((worst) => entries.some(({ severity }) => severity === worst)),
    source_id: sources.size === 1 ? [...sources][0] : undefined,
    entry_ids: entries.slice(0, maxAttached).map(({ entry_id: id }) => id),
  }
}
