import { isParticle } from './prompt-words.ts'

/** How a prompt steers a plan. */
export type Steering = {
  /** Above 0 prefers louder and denser stretches, below 0 quieter ones. */
  readonly energy: number
  /** Above 0 makes jumps cheaper, below 0 more expensive. */
  readonly variety: number
  /** Above 0 prefers stretches in which much begins (drums), below 0 those in which little does. */
  readonly drums: number
  /** Ends with a phrase, or else in a fade. */
  readonly outro: boolean
}

/** A parsed prompt. */
export type ReadPrompt = {
  readonly steering: Steering
  /** The words that were followed, as written. */
  readonly honored: readonly string[]
  /** The other words that carry a meaning, as written. */
  readonly ignored: readonly string[]
}

type Meaning = {
  readonly words: readonly string[]
  readonly energy?: number
  readonly variety?: number
  readonly drums?: number
  readonly outro?: true
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
  { words: ['drums', 'drum', 'percussion', 'percussive', 'rhythmic', 'busy', 'busier', 'dense', 'denser'], drums: 1 },
  { words: ['outro', 'ending', 'end', 'fade', 'finish', 'finale'], outro: true },
]

/** Words that negate the next one: "less energy", "not calm". */
const negations = ['less', 'no', 'not', 'without', 'lower']

const meaningOf = (word: string): Meaning | undefined => vocabulary.find((entry) => entry.words.includes(word))

/** Whether a word negates a known one after it. */
const negates = (words: readonly string[], index: number): boolean =>
  negations.includes(words[index] ?? '') && meaningOf(words[index + 1] ?? '') !== undefined

/** Parses the words of a prompt that a recombining generator can follow; all others are left to models. */
export const readPrompt = (prompt: string): ReadPrompt => {
  const words = prompt.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? []
  const ignored: string[] = []
  const honored: string[] = []
  let [energy, variety, drums, outro] = [0, 0, 0, false]
  for (const [index, word] of words.entries()) {
    const meaning = meaningOf(word)
    if (!meaning) {
      if (!isParticle(word) && !negates(words, index)) ignored.push(word)
      continue
    }
    const before = words[index - 1] ?? ''
    const sign = negations.includes(before) ? -1 : 1
    energy += sign * (meaning.energy ?? 0)
    variety += sign * (meaning.variety ?? 0)
    drums += sign * (meaning.drums ?? 0)
    if (meaning.outro) outro = sign > 0
    honored.push(sign < 0 ? `${before} ${word}` : word)
  }
  const limit = (value: number) => Math.max(-1, Math.min(1, value))
  return {
    steering: { energy: limit(energy), variety: limit(variety), drums: limit(drums), outro },
    honored: [...new Set(honored)],
    ignored: [...new Set(ignored)],
  }
}
