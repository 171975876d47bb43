/** A part of a line's text; marked parts are what a search found. */
export type Part = { text: string; isMarked: boolean }

export type Line = {
  id: string
  time: string | null
  severity: string | null
  source: string
  /** Shown in one row: line breaks are visible signs. */
  parts: readonly Part[]
  repeats: number
  /** More lines than the first. */
  extraLines: number
  /** Found by a scorer, such as "anomaly". */
  flag: string | null
}

/** What a line is made from. */
export type LineEntry = {
  entry_id: string
  timestamp_iso: string | null
  severity: string | null
  source_id: string
  text: string
  message: string
  repeat_count: number
  anomaly_label?: string | null
  ml_label?: string | null
  highlights?: unknown
}

/** Longer texts are cut in rows; the detail shows all. */
const maxShown = 2_000

const isRange = (value: unknown): value is [number, number] =>
  Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'number'

const rangesOf = (highlights: unknown): [number, number][] =>
  Array.isArray(highlights) ? highlights.filter(isRange) : []

/** Characters that turn the text after them around: its letters would be read in another order than they are stored in. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** A text with a sign in place of each character that turns it around. */
export const withVisibleControls = (text: string): string =>
  text.replaceAll(turning, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`)

/** Splits a text at ranges in UTF-16 units; ranges outside of it are ignored. */
export const splitAt = (text: string, ranges: readonly (readonly [number, number])[]): Part[] => {
  const parts: Part[] = []
  let at = 0
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const [from, to] = [Math.max(start, at), Math.min(end, text.length)]
    if (from >= to) continue
    if (from > at) parts.push({ text: text.slice(at, from), isMarked: false })
    parts.push({ text: text.slice(from, to), isMarked: true })
    at = to
  }
  if (at < text.length || parts.length === 0) parts.push({ text: text.slice(at), isMarked: false })
  return parts
}

/** The line of an entry: its message without the header, with what the search found marked. */
export const lineOf = (entry: LineEntry): Line => {
  const { text, message } = entry
  const offset = message === '' ? 0 : Math.max(0, text.indexOf(message))
  const shown = (offset > 0 ? text.slice(offset) : text).slice(0, maxShown)
  const ranges = rangesOf(entry.highlights).map(([start, end]) => [start - offset, end - offset] as const)
  const breaks = shown.match(/\n/g)?.length ?? 0
  return {
    id: entry.entry_id,
    time: entry.timestamp_iso,
    severity: entry.severity,
    source: entry.source_id,
    parts: splitAt(shown, ranges).map((part) => ({
      ...part,
      text: withVisibleControls(part.text).replaceAll('\n', ' ⏎ ').replaceAll('\t', '  '),
    })),
    repeats: entry.repeat_count,
    extraLines: breaks,
    flag: entry.ml_label ?? entry.anomaly_label ?? null,
  }
}

/** The beginning of an entry's message in its lists beside the search. */
export const excerptOf = ({ message, text }: Pick<LineEntry, 'message' | 'text'>, maxCharacters = 400): string =>
  withVisibleControls((message || text).slice(0, maxCharacters))
