/**
 * Which lines go on with the entry before. Pure: a line and what came before decide.
 * Known: indented lines; Java ("Caused by:", "... 12 more", an exception's own line), Python (from "Traceback" to the line that names
 * the exception), Go (goroutines and their frames), PHP and gdb ("#0 "), PostgreSQL and VMware continuations, closing brackets.
 */
export type JoinRule =
  /** Whatever is no new entry belongs to the one before: formats whose every entry starts with a header. */
  | 'untilHeader'
  /** Only what looks like a trace or is indented. */
  | 'traces'
  /** Never. */
  | 'never'

/** What kind of trace the current entry is in the middle of. */
export type TraceState = 'none' | 'python' | 'pythonEnd' | 'go'

export const maxJoinedLines = 2_000

const startsIndented = /^[ \t]/
const traceLine =
  /^(?:Caused by: |Suppressed: |\.\.\. \d+ (?:more|common frames)|Traceback \(most recent call last\):|During handling of the above exception|The above exception was the direct cause|goroutine \d+ \[|#\d+:? |-->|\[stacktrace\]|Stack ?trace:|[\])}]+[,;"]*\s*$)/
const javaException = /^(?:Exception in thread "[^"]*" )?(?:[a-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)\b/
const pythonException = /^[A-Za-z_][\w.]*(?::\s|$)/
const goFrame = /^(?:\S+\(.*\)|created by .*|exit status \d+|\[signal .*|panic: .*|goroutine \d+ .*)$/

/** Whether a line continues a trace; `state` is that of the entry so far. */
export const continuesTrace = (line: string, state: TraceState): boolean => {
  if (startsIndented.test(line) || traceLine.test(line) || javaException.test(line)) return true
  if (state === 'python') return pythonException.test(line)
  return state === 'go' && goFrame.test(line)
}

/** The state after a line has become part of an entry (its first line, too). */
export const nextTraceState = (line: string, state: TraceState): TraceState => {
  if (line.startsWith('Traceback (most recent call last)') || line.endsWith('Traceback (most recent call last):'))
    return 'python'
  if (line.startsWith('goroutine ') || line.startsWith('panic: ')) return 'go'
  if (state === 'python' && !startsIndented.test(line)) return 'pythonEnd'
  return state
}
