/**
 * Which lines go on with the entry before. Pure: a line and what came before decide.
 * Known: indented lines; Java ("Caused by:", "... 12 more", an exception's own line), Python (from "Traceback" to the line that names
 * the exception), Go (goroutines and their frames), Rust (the message of a panic and its backtrace), Node.js (from the place to its version),
 * PHP and gdb ("#0 "), Valgrind, AddressSanitizer, PostgreSQL and VMware continuations, closing brackets.
 */
export type JoinRule =
  /** Whatever is no new entry belongs to the one before: formats whose every entry starts with a header. */
  | 'untilHeader'
  /** All lines before the next blank line, even if they match a format: such entries quote lines of other programs. */
  | 'untilBlank'
  /** Only what looks like a trace or is indented. */
  | 'traces'
  /** Never. */
  | 'never'

/** What kind of trace the current entry is in the middle of. */
export type TraceState = 'none' | 'python' | 'pythonEnd' | 'java' | 'go' | 'rustPanic' | 'rust' | 'node' | 'nodeError'

export const maxJoinedLines = 2_000

const startsIndented = /^[ \t]/
const traceLine =
  /^(?:Caused by: |Suppressed: |\.\.\. \d+ (?:more|common frames)|Traceback \(most recent call last\):|During handling of the above exception|The above exception was the direct cause|goroutine \d+ \[|#\d+:? |-->|\[stacktrace\]|\(Use `node --trace-|Stack ?trace:|==\d+== {2,}|(?:READ|WRITE) of size \d+ at 0x|[\])}]+[,;"]*\s*$)/
const javaException = /^(?:[a-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)\b/
const javaFrame = /^\s+at \S/
const pythonTrace = 'Traceback (most recent call last)'
/** What Python writes between the traces of exceptions that belong together. */
const pythonLink = /^(?:During handling of the above exception|The above exception was the direct cause)/
const pythonException = /^[A-Za-z_][\w.]*(?::\s|$)/
const rustPanic = /^thread '[^']*'(?: \(\d+\))? panicked at /
const rustNote = /^(?:stack backtrace:|note: )/
/** Where Node.js was when nothing caught what was thrown: `node:internal/process/promises:391`. */
const nodePlace = /^(?:node:|file:\/\/|\/|[A-Z]:\\)\S+:\d+$/
const nodeError = /^(?:Uncaught )?(?:[A-Z]\w*)?(?:Error|Exception)\b/
const nodeVersion = /^Node\.js v\d/
/** How a runtime, or a tool that watches it, begins its report of why a program ends: no part of what that wrote before. */
const crash =
  /^(?:node:internal\/\S+:\d+$|(?:file:\/\/)?\/\S+\.[cm]?[jt]s:\d+$|==\d+==(?: \S|ERROR: )|panic: |fatal error: |Fatal Python error: |Exception in thread "|Unhandled exception\. |terminate called |\*\*\* \w[^*]* \*\*\*: terminated)/
const goFrame = /^(?:\S+\(.*\)|created by .*|exit status \d+|\[signal .*|panic: .*|goroutine \d+ .*)$/

/** Whether a line is that by which JavaScript begins a stack: what looks like a level names an error. */
export const namesError = (line: string): boolean => /^(?:Uncaught )?Error: /.test(line)

/** Whether a line begins an entry even where all lines without a header belong to the one before. */
export const beginsCrash = (line: string): boolean => crash.test(line) || rustPanic.test(line)

/** A date and a time at the start of a line. */
const dated = /^["[(]?\d{4}(?:([-/.])\d\d\1\d\d|-\d{3}|(?<=(?:19|20)\d\d)\d{4})[T ,_-]{1,2}\d{1,2}:\d\d/

/** Whether a line begins like a header. If no format reads it, its date is none (`2026-02-30`, `0000-00-00`): it is no part of the entry before. */
export const beginsWithDate = (line: string): boolean => dated.test(line)

/** Whether a line begins another trace of the kind that the entry has: it is an entry of its own, unless the runtime writes a line between them that links them. */
export const beginsAnotherTrace = (line: string, state: TraceState): boolean =>
  (state === 'pythonEnd' && line.startsWith(pythonTrace)) || (state === 'java' && javaException.test(line))

/** Whether a line continues a trace; `state` is that of the entry so far. */
export const continuesTrace = (line: string, state: TraceState): boolean => {
  if (beginsAnotherTrace(line, state)) return false
  if (startsIndented.test(line) || traceLine.test(line) || javaException.test(line)) return true
  if (state === 'python') return pythonException.test(line)
  if (state === 'go') return goFrame.test(line)
  if (state === 'rust') return rustNote.test(line)
  if (state === 'node') return nodeError.test(line)
  return state === 'rustPanic' || (state === 'nodeError' && nodeVersion.test(line))
}

/** The state after a line has become part of an entry (its first line, too). */
export const nextTraceState = (line: string, state: TraceState): TraceState => {
  if (line.startsWith(pythonTrace) || line.endsWith(`${pythonTrace}:`)) return 'python'
  if (line.startsWith('goroutine ') || line.startsWith('panic: ') || line.startsWith('fatal error: ')) return 'go'
  // Before Rust 1.73 the message stood on the same line.
  if (rustPanic.test(line)) return line.endsWith(':') ? 'rustPanic' : 'rust'
  if (state === 'rustPanic') return 'rust'
  if (state === 'none' && nodePlace.test(line)) return 'node'
  if (state === 'node' && nodeError.test(line)) return 'nodeError'
  if (state === 'none' && (javaException.test(line) || javaFrame.test(line))) return 'java'
  if (state === 'pythonEnd' && pythonLink.test(line)) return 'none'
  if (state === 'python' && !startsIndented.test(line)) return 'pythonEnd'
  return state
}
