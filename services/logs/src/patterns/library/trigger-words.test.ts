import { exploredSeeds, randomFrom, runs } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { createPatternSteps, type Step } from '../../formats/pattern-steps.ts'
import { wordsOf } from '../../segments/tokens.ts'
import { isMatch } from '../pattern.ts'
import { libraryPatterns } from './mod.ts'

const steps = createPatternSteps()
/** Pieces of expressions that take more characters than this stand for any text. */
const fewCharacters = 12
const maxLength = 120

const charactersOf = ({ characters }: Step): string[] =>
  [...characters].flatMap((taken, code) => (taken === 1 ? String.fromCharCode(code) : []))

/** A text that an expression matches, unless the expression looks around: any text within it is blank, if it may be. */
const textOf = (expression: RegExp, random: () => number): string => {
  const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]
  let text = ''
  let next: readonly Step[] = steps.begin(new RegExp(`^(?:${expression.source})`, expression.flags))
  while (text.length < maxLength && !next.some(({ isEnd }) => isEnd)) {
    const literal = next.filter((step) => charactersOf(step).length <= fewCharacters)
    const step = oneOf(literal.length > 0 ? literal : next)
    if (!step) return text
    const characters = charactersOf(step)
    const small = characters.filter((character) => /[a-z ]/.test(character))
    const blank = characters.length > fewCharacters ? [' ', '-'].find((some) => characters.includes(some)) : undefined
    text += blank ?? oneOf(small.length > 0 ? small : characters) ?? ''
    next = step.next()
  }
  return text
}

/** Whether a token is one of the words with something attached, as in "psu7" and "authrejected", which no list of words can have. */
const isAttached = (token: string, words: readonly string[]): boolean =>
  words.some((word) => token.startsWith(word) || (token.length > 4 && word.startsWith(token.slice(0, -1))))

/** Only the status of a request matters, and a place within it. */
const leftOut = ['http_server_error', 'http_client_error', 'web_attack']
const expressions = libraryPatterns.flatMap((pattern) =>
  pattern.matcher instanceof RegExp && !leftOut.includes(pattern.tag) ? [{ ...pattern, matcher: pattern.matcher }] : [],
)

test.each(exploredSeeds(1))('every text that a pattern matches has one of its words (TEST_SEED=%d)', (seed) => {
  const random = randomFrom(seed)
  const drawn = expressions.map((pattern) => ({
    ...pattern,
    texts: Array.from({ length: runs(20) }, () => textOf(pattern.matcher, random)).filter((text) =>
      isMatch(pattern, text),
    ),
  }))
  // What looks around, or has much between its words, is seldom drawn.
  expect(drawn.filter(({ texts }) => texts.length > 0).length).toBeGreaterThan(0.9 * expressions.length)
  const missed = drawn.flatMap(({ tag, texts, words }) =>
    texts.filter((text) => !wordsOf(text).some((token) => isAttached(token, words))).map((text) => `${tag}: ${text}`),
  )
  expect(missed).toEqual([])
})
