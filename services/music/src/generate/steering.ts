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
    words: ['calm', 'calmer', 'quiet', 'quieter', 'soft', 'softer', 'gentle', 'relaxed', 'sparse', 'breakdown'],
    energy: -1,
  },
  {
    words: ['energy', 'energetic', 'loud', 'louder', 'intense', 'powerful', 'driving', 'climax', 'drop', 'bigger'],
    energy: 1,
  },
  { words: ['varied', 'variation', 'variations', 'vary', 'different', 'surprising', 'wild'], variety: 1 },
  { words: ['steady', 'same', 'similar', 'hypnotic', 'minimal', 'repetitive'], variety: -1 },
  { words: ['drums', 'drum', 'percussion'], drums: 1, stem: 'drums' },
  { words: ['percussive', 'rhythmic', 'busy', 'busier', 'dense', 'denser'], drums: 1 },
  { words: ['bass', 'bassline'], stem: 'bass' },
  { words: ['vocals', 'vocal', 'voice', 'voices', 'singing', 'singer'], stem: 'vocals' },
  { words: ['instrumental'], stem: 'vocals', isWithoutStem: true },
  { words: ['faster', 'quicker', 'accelerando', 'accelerate', 'accelerating'], tempo: 1 },
  { words: ['slower', 'slowing', 'ritardando', 'rallentando', 'decelerating'], tempo: -1 },
  { words: ['chorus', 'refrain', 'hook'], section: 'chorus' },
  { words: ['verse', 'verses'], section: 'verse' },
  { words: ['bridge'], section: 'bridge' },
  { words: ['intro', 'introduction'], section: 'intro' },
  { words: ['outro', 'ending', 'end', 'fade', 'finish', 'finale'], outro: true },
]

/** Words that reverse the next one ("less energy", "not calm"); the latter also exclude an instrument. */
const reductions = ['less', 'fewer', 'lower']
const exclusions = ['no', 'not', 'without']
const conjunctions = ['or', 'nor', 'and']

const meaningOf = (word: string | undefined): Meaning | undefined =>
  vocabulary.find((entry) => entry.words.includes(word ?? ''))

/** The word that reverses the one at an index: the word before, or that of the instrument before ("no drums or bass"). */
const reversalOf = (words: readonly string[], index: number): string | undefined => {
  const before = words[index - 1] ?? ''
  if (reductions.includes(before) || exclusions.includes(before)) return before
  const isListed = conjunctions.includes(before) && meaningOf(words[index])?.stem && meaningOf(words[index - 2])?.stem
  return isListed ? reversalOf(words, index - 2) : undefined
}

/** What a word in its place does; undefined for nothing. */
const effectOf = (meaning: Meaning, reversal: string | undefined): Partial<Steering> | undefined => {
  const { energy = 0, variety = 0, drums = 0, tempo = 0, outro, section, stem, isWithoutStem } = meaning
  if (section) return reversal === undefined ? { section } : undefined
  const isExcluded = isWithoutStem ? reversal === undefined : exclusions.includes(reversal ?? '')
  const isLeftOut = stem !== undefined && isExcluded
  if (stem && !isLeftOut && drums === 0) return undefined
  const sign = reversal === undefined ? 1 : -1
  return {
    ...{ energy: sign * energy, variety: sign * variety, drums: sign * drums, tempo: sign * tempo },
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
  const words = wordsOf(prompt).map(({ word }) => word)
  const honored = new Set<string>()
  let steering = none
  for (const [index, word] of words.entries()) {
    const meaning = meaningOf(word)
    if (!meaning) continue
    const reversal = reversalOf(words, index)
    const effect = effectOf(meaning, reversal)
    if (!effect) continue
    honored.add(reversal === undefined ? word : `${reversal} ${word}`)
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
