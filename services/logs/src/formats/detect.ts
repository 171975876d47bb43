import { activeFormats, plainFormat } from './active-formats.ts'
import { type Beginnings, createBeginnings } from './beginnings.ts'
import type { LogFormat, PatternFormat } from './format.ts'
import { clearHeader, createHeader, type Header, type LineReader } from './header.ts'
import { createJsonReader, startsLikeObject } from './json-reader.ts'
import { createLogfmtReader, startsLikePair } from './logfmt-reader.ts'
import type { JoinRule } from './multiline.ts'
import { createPatternReader } from './pattern-reader.ts'
import { startYear, type TimeContext } from './time.ts'
import { utc } from './zone.ts'

export const joinRuleOf = (name: string): JoinRule => {
  const format = activeFormats().byName.get(name)
  return format === undefined ? 'traces' : format.kind === 'pattern' ? format.joins : 'traces'
}

/** By which stream a line came that wraps another; undefined for a format that wraps none. */
export const streamOf = (name: string, line: string): string | undefined => {
  const format = activeFormats().byName.get(name)
  return format === undefined || format.kind === 'logfmt' ? undefined : format.stream?.exec(line)?.[1]
}

/** The text by which a format's last line of an entry is recognized; undefined for formats without one. */
export const endOf = (name: string): string | undefined => {
  const format = activeFormats().byName.get(name)
  return format?.kind === 'pattern' ? format.ends : undefined
}

export const announcesNextLine = (name: string): boolean => {
  const format = activeFormats().byName.get(name)
  return format?.kind === 'pattern' && format.announces === true
}

/** `begins` matches the beginning of each line that it reads, or all of the line. */
type Candidate = LineReader & { begins: RegExp; isGeneric: boolean; names: readonly string[] }

const isWrapping = (format: LogFormat) => format.kind === 'pattern' && format.wraps === true

const needsMajority = (format: LogFormat) => format.kind === 'pattern' && format.needsMajority === true

const mayBeWrapped = (format: LogFormat) =>
  !isWrapping(format) && !needsMajority(format) && format.name !== 'json-docker'

/**
 * One reader for each format in their order; all JSON conventions share one, so that a line is parsed once. What a format may carry is out
 * of `known`.
 */
const candidatesFor = (
  formats: readonly LogFormat[],
  context: TimeContext,
  inner: LineReader,
  known: readonly LogFormat[] = formats,
): Candidate[] => {
  const innerOf = (format: PatternFormat): LineReader | undefined => {
    if (format.wraps === true) return inner
    if (!format.carries) return undefined
    const carried = known.filter(({ kind, name }) => kind === 'json' || format.carries?.includes(name) === true)
    return readEach(candidatesFor(carried, context, { read: () => undefined }))
  }
  const json = formats.filter((format) => format.kind === 'json')
  return formats.flatMap((format): Candidate[] => {
    if (format.kind === 'pattern') {
      const reader = createPatternReader(format, context, innerOf(format))
      const { pattern: begins, name } = format
      const isGeneric = format.isGeneric === true
      return [{ ...reader, begins, isGeneric, names: [name] }]
    }
    if (format.kind === 'logfmt') {
      const reader = createLogfmtReader(format.name, context)
      return [{ ...reader, begins: startsLikePair, isGeneric: false, names: [format.name] }]
    }
    if (format !== json[0]) return []
    const reader = createJsonReader(json, context, inner)
    return [{ ...reader, begins: startsLikeObject, isGeneric: false, names: json.map(({ name }) => name) }]
  })
}

/** Tries all in their order. */
const readEach = (candidates: readonly LineReader[]): LineReader => ({
  read: (line, header) => {
    for (const candidate of candidates) {
      const name = candidate.read(line, header)
      if (name !== undefined) return name
    }
    return undefined
  },
})

/** Candidates in order and their automaton. `byMajority` are those that read a file only if most of its first lines match. */
type Candidates = { all: readonly Candidate[]; beginnings: Beginnings; byMajority: readonly Candidate[] }

const readFirst = ({ all, beginnings }: Pick<Candidates, 'all' | 'beginnings'>): LineReader => ({
  read: (line, header) => {
    for (const place of beginnings.mayMatch(line)) {
      const name = all[place]?.read(line, header)
      if (name !== undefined) return name
    }
    return undefined
  },
})

/**
 * Reads the lines of one file. The format that fits most of its first lines is tried first on each line; when others fit eight lines in a
 * row that it does not, the one that fits now takes its place.
 */
export type FileReader = LineReader & {
  /**
   * Chooses by the first lines, which are read next or were read before, and returns whether a line without a header goes on with the entry
   * before in this file.
   */
  chooseBy: (lines: readonly string[], areRead?: 'next' | 'before') => { joinsFreely: boolean }
}

/** What all files of one set of formats share: how the lines begin of all of them, and of those that others may wrap. */
type SharedBeginnings = { wrapped: readonly LogFormat[]; ofAll: Beginnings; ofWrapped: Beginnings }
const shared = new WeakMap<readonly LogFormat[], SharedBeginnings>()

/** All formats in their order, those that wrap others with all that they may wrap in them. With `only`, that one of them. */
const allCandidates = (context: TimeContext, formats: readonly LogFormat[], only?: LogFormat): Candidates => {
  const known = shared.get(formats)
  const wrapped = known?.wrapped ?? formats.filter(mayBeWrapped)
  const inside = candidatesFor(wrapped, context, { read: () => undefined })
  const ofWrapped = known?.ofWrapped ?? createBeginnings(inside.map(({ begins }) => begins))
  const inner = readFirst({ all: inside, beginnings: ofWrapped })
  if (only) {
    const all = candidatesFor([only], context, inner, formats)
    return { all, beginnings: createBeginnings(all.map(({ begins }) => begins)), byMajority: [] }
  }
  const all = candidatesFor(
    formats.filter((format) => !needsMajority(format)),
    context,
    inner,
    formats,
  )
  const byMajority = candidatesFor(formats.filter(needsMajority), context, inner)
  const ofAll = known?.ofAll ?? createBeginnings(all.map(({ begins }) => begins))
  if (!known) shared.set(formats, { wrapped, ofAll, ofWrapped })
  return { all, beginnings: ofAll, byMajority }
}

/** Reads each line by the first format that fits, whatever the lines before were. For few lines: it tries one format after the other. */
export const createLineReader = (
  context: TimeContext,
  formats: readonly LogFormat[] = activeFormats().all,
): LineReader => {
  const { all, byMajority } = allCandidates(context, formats)
  return readEach([...all, ...byMajority])
}

const missesUntilChange = 8
/** With fewer headers among the lines at the margin a file is a mix, unless it begins with a header of a format that knows more than times. */
const headersForJoining = 0.5

/** For lines of which nothing is to be found out. */
const plainReader: FileReader = { read: () => undefined, chooseBy: () => ({ joinsFreely: false }) }

/** The candidates for lines whose times may depend on the lines before. */
const candidatesOf = (context: TimeContext, forcedFormat: string | undefined) => {
  const { all, byName } = activeFormats()
  const forced = forcedFormat === undefined ? undefined : byName.get(forcedFormat)
  const named = { moment: Number.NaN }
  const followed = startYear(context.firstYear)
  const dateOrder = { isDayFirst: undefined }
  return { forced, named, followed, candidates: allCandidates({ ...context, named, followed, dateOrder }, all, forced) }
}

/**
 * Reads lines of several programs, which come in turn: each by the first format that fits, whichever the lines before had. Formats that a file
 * must show by most of its lines are not tried. `forcedFormat` as for a file.
 */
export const createMixedReader = (context: TimeContext, forcedFormat?: string): LineReader =>
  forcedFormat === plainFormat ? plainReader : readFirst(candidatesOf(context, forcedFormat).candidates)

/** With `forcedFormat` no other is looked for: a line that it does not fit is of none. */
export const createFileReader = (context: TimeContext, forcedFormat?: string): FileReader => {
  if (forcedFormat === plainFormat) return plainReader
  const { forced, named, followed, candidates } = candidatesOf(context, forcedFormat)
  let current = forced && candidates.all[0]
  let misses = 0
  const tally = new Map<Candidate, number>()
  /** The format with `needsMajority` that most of the file's first lines match. */
  let majority: Candidate | undefined

  const readAny = (line: string, header: Header): string | undefined => {
    for (const place of candidates.beginnings.mayMatch(line)) {
      const candidate = candidates.all[place]
      if (candidate === undefined || candidate === current) continue
      const name = candidate.read(line, header)
      if (name === undefined) continue
      if (++misses >= missesUntilChange && !candidate.isGeneric) {
        current = candidate
        misses = 0
      }
      return name
    }
    return majority?.read(line, header)
  }
  return {
    read: (line, header) => {
      if (current) {
        const name = current.read(line, header)
        if (name !== undefined) {
          misses = 0
          return name
        }
      }
      return readAny(line, header)
    },
    chooseBy: (lines, areRead = 'next') => {
      const header = createHeader()
      const margin = lines.filter((line) => line !== '' && !/^\s/.test(line))
      const fitting = (line: string) =>
        candidates.beginnings
          .mayMatch(line)
          .map((place) => candidates.all[place])
          .find((candidate) => candidate?.read(line, header) !== undefined)
      const fits = margin.map(fitting)
      const [opening] = fits
      for (const candidate of fits) if (candidate) tally.set(candidate, (tally.get(candidate) ?? 0) + 1)
      const [max] = [...tally].filter(([candidate]) => !candidate.isGeneric).toSorted((a, b) => b[1] - a[1])
      if (!forced) current = max?.[0]
      const isMajority = (count: number) => count >= margin.length * headersForJoining
      const others = margin.filter((_, place) => fits[place] === undefined)
      const isOfMost = ({ read }: Candidate) =>
        others.length > 0 && isMajority(others.filter((line) => read(line, header) !== undefined).length)
      majority = isMajority(others.length) ? candidates.byMajority.find(isOfMost) : undefined
      const known = [...tally.values()].reduce((sum, count) => sum + count, 0)
      tally.clear()
      // Of whichever format that knows more: what opens a log has often another than its entries.
      const beginsWithHeader = opening !== undefined && !opening.isGeneric
      if (areRead === 'next') {
        named.moment = Number.NaN
        Object.assign(followed, startYear(context.firstYear))
      }
      return { joinsFreely: beginsWithHeader || majority !== undefined || isMajority(known) }
    },
  }
}

type WrappedFormats = (line: string) => LogFormat | undefined
const wrappedFormats = new WeakMap<readonly LogFormat[], WrappedFormats>()

const createWrappedFormats = (): WrappedFormats => {
  const { all, byName } = activeFormats()
  // Which format it is does not depend on when and where it was written.
  const inside = candidatesFor(all.filter(mayBeWrapped), { zone: utc, reference: 0 }, { read: () => undefined })
  const beginnings = shared.get(all)?.ofWrapped ?? createBeginnings(inside.map(({ begins }) => begins))
  const reader = readFirst({ all: inside, beginnings })
  const header = createHeader()
  return (line) => {
    clearHeader(header)
    const name = reader.read(line, header)
    return name === undefined ? undefined : byName.get(name)
  }
}

/** The format of a line that another wraps; undefined where none fits. */
export const wrappedFormatOf: WrappedFormats = (line) => {
  const { all } = activeFormats()
  const formatOf = wrappedFormats.get(all) ?? createWrappedFormats()
  wrappedFormats.set(all, formatOf)
  return formatOf(line)
}
