import type { StemName } from '../stems/stem-names.ts'
import type { SectionName } from './named-sections.ts'
import { wordsOf } from './prompt-words.ts'

/** Stems that a prompt can leave out. */
export type LeftOut = Exclude<StemName, 'other'>

/** How a prompt steers a plan. */
export type Steering = {
  /** Above 0 prefers louder and denser stretches, below 0 quieter ones. */
  readonly energy: number
  /** Above 0 makes jumps cheaper, and bars get the drums of others; below 0 jumps are more expensive. */
  readonly variety: number
  /** Above 0 prefers stretches in which much begins (drums), below 0 those in which little does. */
  readonly drums: number
  /** Above 0 becomes faster, below 0 slower. */
  readonly tempo: number
  /** Ends with a phrase, or else in a fade. */
  readonly outro: boolean
  /** Prefers stretches of these sections. */
  readonly section: SectionName | undefined
  readonly leaveOut: readonly LeftOut[]
}

/** A parsed prompt. */
export type ReadPrompt = {
  readonly steering: Steering
  /** The words that are followed, as written. */
  readonly honored: readonly string[]
}

type Meaning = {
  readonly words: readonly string[]
  readonly energy?: number
  readonly variety?: number
  readonly drums?: number
  readonly tempo?: number
  readonly outro?: true
  readonly section?: SectionName
  /** The stem that is left out where the word is excluded ("no drums"). */
  readonly stem?: LeftOut
  /** Whether the word itself excludes the stem. */
  readonly isWithoutStem?: true
}

/** The vocabulary: words of a prompt, in any case, and their effects. */
const vocabulary: readonly Meaning[] = [
  {
    words: [
      ...['calm', 'calmer', 'calmly', 'quiet', 'quieter', 'quietly', 'soft', 'softer', 'softly', 'gentle', 'gentler'],
      ...['gently', 'peaceful', 'mellow', 'chill', 'relaxed', 'relaxing', 'subdued', 'delicate', 'sparse', 'breakdown'],
    ],
    energy: -1,
  },
  {
    words: [
      ...['energy', 'energetic', 'loud', 'louder', 'loudly', 'intense', 'intensity', 'powerful', 'driving', 'climax'],
      ...['drop', 'big', 'bigger', 'upbeat', 'heavy', 'heavier', 'aggressive', 'epic'],
    ],
    energy: 1,
  },
  { words: ['varied', 'variation', 'variations', 'vary', 'different', 'surprising', 'wild'], variety: 1 },
  { words: ['steady', 'same', 'similar', 'hypnotic', 'minimal', 'repetitive'], variety: -1 },
  { words: ['drums', 'drum', 'drumming', 'percussion', 'beat', 'beats'], drums: 1, stem: 'drums' },
  { words: ['percussive', 'rhythmic', 'busy', 'busier', 'dense', 'denser'], drums: 1 },
  { words: ['bass', 'bassline'], stem: 'bass' },
  { words: ['vocals', 'vocal', 'voice', 'voices', 'singing', 'singer'], stem: 'vocals' },
  { words: ['instrumental'], stem: 'vocals', isWithoutStem: true },
  { words: ['fast', 'faster', 'quicker', 'speed up', 'accelerando', 'accelerate', 'accelerating'], tempo: 1 },
  { words: ['slow', 'slower', 'slow down', 'slowing', 'ritardando', 'rallentando', 'decelerating'], tempo: -1 },
  { words: ['chorus', 'refrain', 'hook'], section: 'chorus' },
  { words: ['verse', 'verses'], section: 'verse' },
  { words: ['bridge'], section: 'bridge' },
  { words: ['intro', 'introduction'], section: 'intro' },
  { words: ['outro', 'ending', 'end', 'fade', 'finish', 'finale'], outro: true },
]

/** Words that reverse a later one ("less energy", "not calm"); the latter also exclude an instrument. */
const reductions = ['less', 'fewer', 'lower', 'low', 'reduce', 'reduced', 'decrease']
const exclusions = ['no', 'not', 'without', 'never', "don't", 'dont']
const removals = [
  'remove',
  'mute',
  'cut',
  'omit',
  'skip',
  'exclude',
  'avoid',
  'stop',
  'leave out',
  'take out',
  'cut out',
]
const conjunctions = ['or', 'nor', 'and']
/** Words that mean something together only. */
const phrases = [...removals, ...exclusions, 'speed up', 'slow down']
/** Words allowed between a reversal and its word: "without any drums", "don't use the bass". */
const fillers = ['a', 'an', 'any', 'all', 'the', 'this', 'that', 'its', 'your', 'more', 'use', 'have', 'play']
/** Fillers after which an exclusion is only a reduction: "not too many drums". */
const degrees = ['too', 'so', 'very', 'many', 'much']

const meaningOf = (word: string | undefined): Meaning | undefined =>
  vocabulary.find((entry) => entry.words.includes(word ?? ''))

type Reversal = { readonly excludes: boolean; readonly phrase: string }

/** The words of a prompt, in which "don't", "leave out" and "slow down" are one each. */
const wordsAndPhrases = (prompt: string): readonly string[] => {
  const words: string[] = []
  for (const { word } of wordsOf(prompt)) {
    const last = words.at(-1)
    const joined = word === 't' ? `${last}'t` : `${last} ${word}`
    if (phrases.includes(joined)) words.splice(-1, 1, joined)
    else words.push(word)
  }
  return words
}

/** What takes an instrument out after its word: "drums out", "take the drums out". */
const takenOut = (words: readonly string[], index: number, before: string): Reversal | undefined => {
  const word = words[index] ?? ''
  if (words[index + 1] !== 'out' || !meaningOf(word)?.stem) return undefined
  const verb = ['take', 'leave', 'cut'].includes(before) ? `${before} ` : ''
  return { excludes: true, phrase: `${verb}${word} out` }
}

/** What reverses the word at an index: a word before it, or before the instrument that it is listed with ("no drums or bass"). Two reversals cancel each other. */
const reversalOf = (words: readonly string[], index: number): Reversal | undefined => {
  const isBetween = (word = '') => fillers.includes(word) || degrees.includes(word)
  let at = index - 1
  while (isBetween(words[at])) at -= 1
  const before = words[at] ?? ''
  const excludes = exclusions.includes(before) || removals.includes(before)
  if (excludes || reductions.includes(before)) {
    const isLimited = words.slice(at + 1, index).some((word) => degrees.includes(word))
    return reversalOf(words, at) ? undefined : { excludes: excludes && !isLimited, phrase: `${before} ${words[index]}` }
  }
  const isListed = conjunctions.includes(before) && meaningOf(words[index])?.stem && meaningOf(words[at - 1])?.stem
  const listed = isListed ? reversalOf(words, at - 1) : undefined
  if (listed) return { ...listed, phrase: listed.phrase.replace(words[at - 1] ?? '', words[index] ?? '') }
  return takenOut(words, index, before)
}

/** What a word in its place does; undefined for nothing. */
const effectOf = (meaning: Meaning, reversal: Reversal | undefined): Partial<Steering> | undefined => {
  const { energy = 0, variety = 0, drums = 0, tempo = 0, outro, section, stem, isWithoutStem } = meaning
  if (section) return reversal === undefined ? { section } : undefined
  const isExcluded = isWithoutStem ? reversal === undefined : reversal?.excludes === true
  const isLeftOut = stem !== undefined && isExcluded
  if (stem && !isLeftOut && drums === 0) return undefined
  const sign = reversal === undefined ? 1 : -1
  return {
    ...{ energy: sign * energy, variety: sign * variety, drums: sign * drums },
    // "Not faster" does not mean slower, unlike "less fast".
    tempo: reversal?.excludes ? 0 : sign * tempo,
    ...(outro && { outro: sign > 0 }),
    ...(isLeftOut && { leaveOut: [stem] }),
  }
}

const none: Steering = {
  ...{ energy: 0, variety: 0, drums: 0, tempo: 0 },
  ...{ outro: false, section: undefined, leaveOut: [] },
}

const limited = (value: number): number => Math.max(-1, Math.min(1, value))

/** Parses the words of a prompt that a recombining generator can follow. */
export const readPrompt = (prompt: string): ReadPrompt => {
  const words = wordsAndPhrases(prompt)
  const honored = new Set<string>()
  let steering = none
  for (const [index, word] of words.entries()) {
    const meaning = meaningOf(word)
    if (!meaning) continue
    const reversal = reversalOf(words, index)
    const effect = effectOf(meaning, reversal)
    if (!effect) continue
    honored.add(reversal?.phrase ?? word)
    const sum = (name: 'energy' | 'variety' | 'drums' | 'tempo') => steering[name] + (effect[name] ?? 0)
    steering = {
      ...{ energy: sum('energy'), variety: sum('variety'), drums: sum('drums'), tempo: sum('tempo') },
      outro: effect.outro ?? steering.outro,
      section: effect.section ?? steering.section,
      leaveOut: [...new Set([...steering.leaveOut, ...(effect.leaveOut ?? [])])],
    }
  }
  const { energy, variety, drums, tempo } = steering
  return {
    steering: {
      ...steering,
      ...{ energy: limited(energy), variety: limited(variety), drums: limited(drums), tempo: limited(tempo) },
    },
    honored: [...honored],
  }
}

/** The same prompt for a piece that does not have the section that it names. */
export const withoutSection = ({ steering, honored }: ReadPrompt): ReadPrompt => ({
  steering: { ...steering, section: undefined },
  honored: honored.filter((word) => meaningOf(word)?.section === undefined),
})
