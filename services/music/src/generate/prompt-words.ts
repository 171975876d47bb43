/** A word of a prompt and where it begins. */
export type PromptWord = { readonly word: string; readonly at: number }

/** Words without a meaning of their own, which are neither followed nor ignored. */
const particles = new Set(
  'a an any all and the of in on at to for with by some little bit very much many too so more lots then please make it its be is this that your use have play but or nor like as'.split(
    ' ',
  ),
)

export const isParticle = (word: string): boolean => particles.has(word)

/** The words of a prompt in any language, in lower case and in their order. */
export const wordsOf = (prompt: string): PromptWord[] =>
  [...prompt.matchAll(/[\p{Letter}\p{Number}][\p{Letter}\p{Mark}\p{Number}]*/gu)].map((match) => ({
    word: match[0].toLowerCase(),
    at: match.index,
  }))

/** The words with a meaning that are not among those that were followed, which may be phrases. */
export const ignoredWords = (prompt: string, honored: readonly string[]): string[] => {
  const followed = new Set(honored.flatMap((phrase) => wordsOf(phrase).map(({ word }) => word)))
  const words = wordsOf(prompt).map(({ word }) => word)
  return [...new Set(words.filter((word) => !isParticle(word) && !followed.has(word)))]
}
