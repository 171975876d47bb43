/** For each character of ASCII whether something takes it. */
export type Characters = Uint8Array<ArrayBuffer>

export const asciiCharacters = 128
const openingGroup = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/
const atomStart = /^(?:\\[pPu]\{[^}]*\}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|\[(?:\\.|[^\]\\])*\]|[^\\[\]()|?*+])/u
const quantifier = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/
const looksAround = /^\((?:\?<?[=!])/
/** What takes nothing itself: without it more may match, never less. */
const takesNothing = /^(?:[$^]|\\[bB])$/

/** Where the group ends that begins at `start`, and whether it has alternatives at its own level. */
export const groupAt = (source: string, start: number): { end: number; hasAlternatives: boolean } => {
  let depth = 0
  let isClass = false
  let hasAlternatives = false
  for (let at = start; at < source.length; at++) {
    const mark = source[at]
    if (mark === '\\') at++
    else if (isClass) isClass = mark !== ']'
    else if (mark === '[') isClass = true
    else if (mark === '(') depth++
    else if (mark === '|' && depth === 1) hasAlternatives = true
    else if (mark === ')' && --depth === 0) return { end: at, hasAlternatives }
  }
  return { end: source.length, hasAlternatives }
}

/** The alternatives of a source at its own level. */
const alternativesOf = (source: string): string[] => {
  const alternatives: string[] = []
  let start = 0
  for (let at = 0; at < source.length; at++) {
    const mark = source[at]
    if (mark === '\\') at++
    else if (mark === '(') at = groupAt(source, at).end
    else if (mark === '[') at = classEnd(source, at)
    else if (mark === '|') {
      alternatives.push(source.slice(start, at))
      start = at + 1
    }
  }
  return [...alternatives, source.slice(start)]
}

const classEnd = (source: string, start: number): number => {
  let at = start + 1
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
  return at
}

/** Of how many pieces of patterns it is kept which characters they take. */
const maxKnownPieces = 1_000
const knownPieces = new Map<string, Characters>()
export const allCharacters: Characters = new Uint8Array(asciiCharacters).fill(1)

/** The characters that a piece for one character takes, by trying them. */
const charactersOf = (piece: string, flags: string): Characters => {
  const key = `${flags}/${piece}`
  const known = knownPieces.get(key)
  if (known) return known
  const one = new RegExp(`^(?:${piece})$`, flags)
  const found = Uint8Array.from(allCharacters, (_, code) => Number(one.test(String.fromCharCode(code))))
  if (knownPieces.size < maxKnownPieces) knownPieces.set(key, found)
  return found
}

/** What stands for something elsewhere; and what means something else without the flag for Unicode. */
const isUnclear = (piece: string, flags: string): boolean =>
  /^\\[\dkc]/.test(piece) || (!flags.includes('u') && /^\\[pPu]\{/.test(piece))

type Repeats = { min: number; max: number; length: number }

const endless = Number.POSITIVE_INFINITY

const repeatsAt = (source: string): Repeats => {
  const [written, mark, min, comma, max] = quantifier.exec(source) ?? []
  if (written === undefined) return { min: 1, max: 1, length: 0 }
  const { length } = written
  if (mark !== undefined) return { min: mark === '+' ? 1 : 0, max: mark === '?' ? 1 : endless, length }
  if (comma === '') return { min: Number(min), max: Number(min), length }
  return { min: Number(min), max: max === '' ? endless : Number(max), length }
}

/**
 * A piece as often as is left when it has been there once; nothing where that was the last time. What may be there several times, but not
 * so often, may be there without end: to count it would tell apart thousands of beginnings.
 */
const onceLess = (piece: string, { min, max }: Repeats): string => {
  if (max === 1) return ''
  if (max === min) return `${piece}{${min - 1}}`
  return min <= 1 ? `${piece}*` : `${piece}{${min - 1},}`
}

/** What is left of a pattern: a sequence, and what comes after the group that it stands in. */
type Rest = { id: number; sequence: string; flags: string; then: Rest | undefined }

/** One character of a pattern, or its end: there it matches, whatever follows. */
export type Step = {
  id: number
  /** Those of ASCII that it takes; all at the end. */
  characters: Characters
  isEnd: boolean
  /** The steps of which one is next when it has taken its character. */
  next: () => readonly Step[]
}

/** Ways through a pattern up to its next character; where there are more, it is taken to match. */
const maxWays = 1_000

export type PatternSteps = {
  /**
   * The steps that a pattern may begin with, where it is bound to the start of the text. They lead through all texts of ASCII that it
   * matches, and some more: what looks around is left out, and what cannot be told plainly is taken to match.
   */
  begin: (pattern: RegExp) => readonly Step[]
}

/**
 * Takes patterns apart character by character, as far as it is asked: what is left of a pattern after a character is a pattern again
 * (V. Antimirov, "Partial derivatives of regular expressions and finite automaton constructions", 1996). Equal ones are one object.
 */
export const createPatternSteps = (): PatternSteps => {
  const rests = new Map<string, Rest>()
  const stepsOfRests = new Map<Rest, readonly Step[]>()
  const steps = new Map<string, Step>()
  const end: Step = { id: 0, characters: allCharacters, isEnd: true, next: () => [end] }

  const restOf = (sequence: string, flags: string, then: Rest | undefined): Rest | undefined => {
    if (sequence === '') return then
    const key = `${then?.id ?? ''}/${flags}/${sequence}`
    const rest = rests.get(key) ?? { id: rests.size, sequence, flags, then }
    rests.set(key, rest)
    return rest
  }
  const stepOf = (piece: string, flags: string, rest: Rest | undefined): Step => {
    const key = `${rest?.id ?? ''}/${flags}/${piece}`
    const known = steps.get(key)
    if (known) return known
    const step: Step = {
      id: steps.size + 1,
      characters: charactersOf(piece, flags),
      isEnd: false,
      next: () => stepsAt(rest),
    }
    steps.set(key, step)
    return step
  }
  /** Adds the steps that a rest may begin with; `seen` are the rests that were looked at on the way. */
  const collect = (rest: Rest | undefined, found: Set<Step>, seen: Set<Rest>): void => {
    if (rest === undefined || seen.size >= maxWays) return void found.add(end)
    if (seen.has(rest)) return
    seen.add(rest)
    const { sequence, flags, then } = rest
    const opening = openingGroup.exec(sequence)?.[0]
    const piece =
      opening === undefined ? atomStart.exec(sequence)?.[0] : sequence.slice(0, groupAt(sequence, 0).end + 1)
    if (piece === undefined || isUnclear(piece, flags)) return void found.add(end)
    const repeats = repeatsAt(sequence.slice(piece.length))
    const tail = sequence.slice(piece.length + repeats.length)
    const isNothing = takesNothing.test(piece) || looksAround.test(piece)
    if (isNothing || repeats.min === 0) collect(restOf(tail, flags, then), found, seen)
    if (isNothing || repeats.max === 0) return
    const after = restOf(onceLess(piece, repeats) + tail, flags, then)
    if (opening === undefined) return void found.add(stepOf(piece, flags, after))
    for (const alternative of alternativesOf(piece.slice(opening.length, -1)))
      collect(restOf(alternative, flags, after), found, seen)
  }
  const stepsAt = (rest: Rest | undefined): readonly Step[] => {
    const known = rest && stepsOfRests.get(rest)
    if (known) return known
    const found = new Set<Step>()
    collect(rest, found, new Set())
    // What may be the end matches, whatever else could go on.
    const made = found.has(end) ? [end] : [...found]
    if (rest) stepsOfRests.set(rest, made)
    return made
  }
  return {
    begin: ({ source, flags }) => {
      const isPlain = source.startsWith('^') && /^[iu]*$/.test(flags) && alternativesOf(source).length === 1
      return isPlain ? stepsAt(restOf(source, flags, undefined)) : [end]
    },
  }
}
