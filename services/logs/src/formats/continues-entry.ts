import {
  beginsAnotherTrace,
  beginsCrash,
  beginsWithDate,
  continuesTrace,
  type JoinRule,
  namesError,
  type TraceState,
} from './multiline.ts'

/** A line as a format read it. `name` is the format that knows it, if one does. */
export type ReadLine = { line: string; name: string | undefined; hasTime: boolean }

/** An entry as far as its lines have come. */
export type EntrySoFar = { trace: TraceState; blankLines: number; awaitsMessage: boolean }

/** `isConfigured`: the rule is that of the source, not of the format. `joinsFreely`: a line without a header goes on with the entry before. */
export type Joining = { rule: JoinRule; isConfigured: boolean; joinsFreely: boolean }

/** Whether a line belongs to the entry before it. Pure; room and time between the two are for the caller to judge. */
export const continuesEntry = (
  { line, name, hasTime }: ReadLine,
  entry: EntrySoFar,
  { rule, isConfigured, joinsFreely }: Joining,
): boolean => {
  if (entry.awaitsMessage) return name === undefined || !hasTime
  const mayNameError = !hasTime && namesError(line)
  if (name !== undefined && !mayNameError && rule !== 'untilBlank') return false
  if (rule === 'untilBlank') return entry.blankLines === 0
  const isFree = rule === 'untilHeader' && (joinsFreely || isConfigured)
  // `Error: no room` is no level below an entry with a header, nor where Node.js has written the place.
  if (name !== undefined) return isFree || entry.trace === 'node'
  if (rule === 'never') return false
  const beginsEntry = beginsCrash(line) || beginsAnotherTrace(line, entry.trace) || beginsWithDate(line)
  if (!isConfigured && beginsEntry) return false
  return isFree || continuesTrace(line, entry.trace)
}
