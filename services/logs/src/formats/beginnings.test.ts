import { describe, expect, test } from 'vitest'
import { createBeginnings } from './beginnings.ts'
import { logFormats } from './library/mod.ts'

/** They may match anything, so that a pattern beside them is not among the few that are tried anyway. */
const others = [/x/, /y/, /z/]
const mayMatch = (pattern: RegExp, line: string): boolean =>
  createBeginnings([pattern, ...others])
    .mayMatch(line)
    .includes(0)

/** Whole numbers below a limit that look like chance and come again (Numerical Recipes). */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('how a line begins', () => {
  test.each([
    [/^\d{4}-\d\d/, ['2024-05', '2024-0', '2024', ''], ['202-05', '2024/05', 'x']],
    [/^a{2,3}b/, ['aab', 'aaab'], ['ab', 'b', 'aac']],
    [/^a{2,}b/, ['aab', 'aaaaab'], ['ab', 'aac']],
    [/^a{2}b/, ['aab'], ['aaab', 'ab']],
    [/^a{0}b/, ['b'], ['ab']],
    [/^a*?b/, ['b', 'aaab'], ['ac', 'c']],
    [/^a+b/, ['ab', 'aaab'], ['b', 'ac']],
    [/^(?:x|(?<y>yz))?b/, ['b', 'xb', 'yzb'], ['yb', 'xyzb', 'z']],
    [/^(?:a|)*b/, ['b', 'aab'], ['c']],
    [/^(?:ab)*c/, ['c', 'abc', 'ababc'], ['aba?', 'ac']],
    [/^[^\]\\]\]/, ['x]'], [']]', '\\]', 'xx']],
    [/^(?=a)[ab]c/, ['ac', 'bc'], ['cc', 'ab']],
    [/^x\b-\B$/, ['x-'], ['xx', '-']],
    [/^\x41\u0042/, ['AB'], ['ab', 'Ab']],
    [/^\p{L}{3} \d/u, ['Jun 1'], ['Ju1 ', 'June']],
    [/^ab/i, ['AB', 'aB'], ['Ac']],
  ])('rules out of %s what it cannot match', (pattern, possible, impossible) => {
    expect(possible.map((line) => [line, mayMatch(pattern, line)])).toEqual(possible.map((line) => [line, true]))
    expect(impossible.map((line) => [line, mayMatch(pattern, line)])).toEqual(impossible.map((line) => [line, false]))
  })

  test.each([/x/, /^x|y/, /^x/m, /^(a)?\1b/, /^(?i:a)x/, /^(?:a|b)?/])('rules out nothing of %s', (pattern) => {
    expect(mayMatch(pattern, 'yy')).toBe(true)
  })

  test('looks no further than a character that is past ASCII', () => {
    expect(mayMatch(/^.-x/u, '😀-x')).toBe(true)
    expect(mayMatch(/^x-\p{L}ärz/u, 'x-März')).toBe(true)
    expect(mayMatch(/^x-\p{L}ärz/u, 'y-März')).toBe(false)
  })

  test('gives the patterns that are possible in their order', () => {
    const { mayMatch } = createBeginnings([/^\d/, /^ab/, /^a/, /^[a-c]/, /^z/, /^abc/, /^[^z]/])
    expect(mayMatch('abd')).toEqual([1, 2, 3, 6])
  })

  test('rules out no pattern wrongly when more beginnings came than are told apart', () => {
    const pattern = /^(?:[a-e]1?)+:(?:[a-e]1?2?3?)+;/
    const { mayMatch } = createBeginnings([pattern, /^(?:[a-e]{3}1?){5}:/, /^(?:[a-e]{2}1?){9}:/, ...others])
    const random = createRandom(7)
    let matched = 0
    for (let line = 0; line < 20_000; line++) {
      const text = Array.from({ length: 30 }, () => 'abcde1:;'[random(8)]).join('')
      if (!pattern.test(text)) continue
      matched++
      expect(mayMatch(text)).toContain(0)
    }
    expect(matched).toBeGreaterThan(500)
  })

  test('no pattern matches a line that it is ruled out for, whatever the pattern is', () => {
    const random = createRandom(42)
    const pick = (some: readonly string[]): string => some[random(some.length)] ?? ''
    const piece = (depth: number): string => {
      const atoms = ['a', 'b', '\\d', '[ab]', '[^a]', '\\S', '\\w', '.', ' ', '\\[']
      const looks = ['\\b', '\\B', '(?=a)', '(?!b)', '(?<=a)']
      const quantifiers = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '{1,2}?']
      if (depth > 0 && random(3) === 0)
        return `(?:${Array.from({ length: 1 + random(3) }, () => sequence(depth - 1)).join('|')})${pick(quantifiers)}`
      return random(8) === 0 ? pick(looks) : `${pick(atoms)}${pick(quantifiers)}`
    }
    const sequence = (depth: number): string => Array.from({ length: random(4) }, () => piece(depth)).join('')
    let matched = 0
    for (let round = 0; round < 40; round++) {
      const patterns = Array.from({ length: 20 }, () => new RegExp(`^${sequence(2)}${pick(['', '', '$'])}`))
      const { mayMatch } = createBeginnings(patterns)
      for (let line = 0; line < 100; line++) {
        const text = Array.from({ length: random(9) }, () => 'ab1 [ü'[random(6)]).join('')
        const possible = mayMatch(text)
        const matching = [...patterns.keys()].filter((place) => patterns[place]?.test(text))
        matched += matching.length
        expect(matching.filter((place) => !possible.includes(place))).toEqual([])
      }
    }
    expect(matched).toBeGreaterThan(1_000)
  })

  test('no format of the library is ruled out for a line that it fits, and of most lines few are left', () => {
    // Formats with `needsMajority` are not part of the automaton.
    const patterns = logFormats.flatMap((format) =>
      format.kind === 'pattern' && format.needsMajority !== true ? [format.pattern] : [],
    )
    const { mayMatch } = createBeginnings(patterns)
    const lines = logFormats.flatMap(({ samples }) => samples.map(({ line }) => line))
    const changed = lines.flatMap((line, index) => [
      line,
      line.slice(index % 7),
      `${line.slice(0, index % 40)}7${line}`,
    ])
    let left = 0
    for (const line of changed) {
      const possible = mayMatch(line)
      left += possible.length
      const missed = [...patterns.keys()].filter((place) => !possible.includes(place) && patterns[place]?.test(line))
      expect([line, missed]).toEqual([line, []])
    }
    expect(left / changed.length).toBeLessThan(20)
  })
})
