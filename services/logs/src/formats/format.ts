import type { Severity } from '../entries/severity-code.ts'
import type { NumericLevels } from './levels.ts'
import type { JoinRule } from './multiline.ts'
import type { TimeLayout } from './time.ts'

/** A line and what has to come out of it; checked whenever the library is loaded. `time` is ISO 8601; year 2024 is assumed where there is none, UTC where there is no zone. */
export type Sample = {
  line: string
  time?: string | null
  severity?: Severity | null
  message?: string
  fields?: Record<string, string>
}

/**
 * A format that a pattern tells. Groups have meanings: `time`; `instant`, which names the moment with its zone or as an epoch where `time`
 * is what a local clock showed; `level` (a word) or `priority` (a syslog number) or `status` (HTTP); `message`; all but `time` and `message`
 * become fields, too. The pattern is anchored and does not cross lines.
 */
export type PatternFormat = {
  kind: 'pattern'
  name: string
  pattern: RegExp
  /** Matched in linear time (`matcher.ts`). A flag rather than a class, since formats are sent to threads. */
  isOfUser?: boolean
  /** A text that every line of it has: cheaper to look for than to try the pattern on lines that begin alike. */
  contains?: string
  /** Absent when the format has no time. */
  time?: TimeLayout
  /** Words for levels that are its own, in lower case, before those that all know; null is no trouble. */
  levels?: ReadonlyMap<string, Severity | null>
  joins: JoinRule
  /** Finds further fields anywhere in the line: its first group is a name, its second the value. They are the message where no group is. */
  pairs?: RegExp
  /** What it escapes, in the values of pairs and in the message, as it was meant; as it is written where this is absent. */
  unescaped?: (text: string) => string
  /** The same for the values of pairs alone, where the message escapes nothing. */
  unescapedPairs?: (text: string) => string
  /** The message is a line of another format, which names what this one does not. */
  wraps?: boolean
  /** Its first group is the stream that a wrapped line came by: a trace goes on in its own stream. */
  stream?: RegExp
  /** Its message may be JSON or a line of one of these formats, which then names what this one does not. Tried where a message begins like one. */
  carries?: readonly string[]
  /** What it announces stands on the next line, whatever that looks like; a level there counts where the header has none. */
  announces?: boolean
  /** An entry continues up to the line that contains this text. Its header is then read from the first and the last line, joined by a space. */
  ends?: string
  /** Its entries are quotations, such as queries, whose words do not report problems: an entry without a level has no severity. */
  quotes?: boolean
  /** Its time is of the day that times of day after it are of. */
  namesDay?: boolean
  /** Any line with a time at its start matches: tried after all that know more. */
  isGeneric?: boolean
  /** Used only for files of which at least half of the first lines match: elsewhere a matching line is likely to be prose or part of another entry. */
  needsMajority?: boolean
  samples: readonly Sample[]
}

/** JSON objects, one a line. A convention is told by the keys it requires; paths are dotted. */
export type JsonFormat = {
  kind: 'json'
  name: string
  /** All of these paths are there. */
  requires: readonly string[]
  /** What values at paths look like, where their being there tells too little. */
  matches?: Readonly<Record<string, RegExp>>
  time: readonly string[]
  level: readonly string[]
  /** An HTTP status; the worse of it and the level counts. */
  status?: readonly string[]
  message: readonly string[]
  /** Keys that are missing at the top level are searched in the nested objects, one level deep. */
  looksInside?: boolean
  /** Words for levels that are its own, in lower case, before those that all know; null is no trouble. */
  levels?: ReadonlyMap<string, Severity | null>
  /** Values that together say that nobody gave the level: then the message's own, or its words, decide. */
  unsure?: Readonly<Record<string, string>>
  /** What a number for a level means. */
  numbers?: NumericLevels['scheme']
  /** The message is a line of another format. */
  wraps?: boolean
  /** As that of a pattern. */
  stream?: RegExp
  samples: readonly Sample[]
}

/** key=value pairs. */
export type LogfmtFormat = { kind: 'logfmt'; name: string; samples: readonly Sample[] }

export type LogFormat = PatternFormat | JsonFormat | LogfmtFormat
