import { describe, expect, test } from 'vitest'
import { findOutOfPlace } from './find-out-of-place.ts'
import { minScore } from './finding.ts'
import { type Said, stretchesOf, templatesOf, timeOfLine } from './stretches-for-tests.ts'

const size = 200

/** Files of three steps each, two of them on their way at a time, so that neighbours in the log are not neighbours of a file. */
const files = (count: number, from = 100_000_000): Said[] =>
  Array.from({ length: count / 2 }, (_, pair) => {
    const names = [from + pair * 2, from + pair * 2 + 1]
    return ['begin', 'copy', 'keep'].flatMap((kind) => names.map((name) => ({ text: `${kind} file_${name}`, kind })))
  }).flat()

const foundIn = (said: readonly Said[], judgedFrom: number, levels: Parameters<typeof templatesOf>[1] = {}) =>
  findOutOfPlace(stretchesOf(said, size), templatesOf(said, levels), timeOfLine(judgedFrom))
const toldIn = (...given: Parameters<typeof foundIn>) => foundIn(...given).filter(({ score }) => score >= minScore)

const fileOf = (...kinds: string[]): Said[] => kinds.map((kind) => ({ text: `${kind} file_999999999`, kind }))

describe('a kind of message that is known, but not in this place', () => {
  const usual = files(2_000)

  test('after a message that it never came after in the same piece of work is told of, and the reason names both', () => {
    const [found, ...others] = toldIn([...usual, ...fileOf('begin', 'keep')], usual.length)
    expect(others).toEqual([])
    expect(found).toMatchObject({ label: 'out_of_place', subject: 'keep', count: 1 })
    expect(found?.entries[0]?.text).toBe('keep file_999999999')
    expect(found?.reason).toBe(
      'After "begin" in file_999999999, which this kind of message never came after in 2000 times, all of them in 1 other place.',
    )
  })

  test('in the usual order is told of by nobody, however pieces of work are mixed', () => {
    expect(foundIn([...usual, ...files(400, 200_000_000)], usual.length)).toEqual([])
  })

  test('that comes again and again in a piece of work is no other place', () => {
    expect(foundIn([...usual, ...fileOf('begin', 'copy', 'copy', 'copy', 'keep')], usual.length)).toEqual([])
  })

  test('is not told of where little is known yet', () => {
    const few = files(60)
    expect(toldIn([...few, ...fileOf('begin', 'keep')], few.length)).toEqual([])
  })

  test('weighs more the worse its level and wording are', () => {
    const odd = [...usual, ...fileOf('begin', 'keep')]
    const [plain] = foundIn(odd, usual.length)
    const [error] = foundIn(odd, usual.length, { keep: 2 })
    expect(error?.score ?? 0).toBeGreaterThan(plain?.score ?? 1)
  })

  test('is judged from a moment on, and what came before is only learned from', () => {
    const odd = [...usual, ...fileOf('begin', 'keep'), ...files(20, 300_000_000)]
    expect(foundIn(odd, usual.length + 2)).toEqual([])
  })

  test('from a node from where it never came is told of, by the name of the node', () => {
    const lineOf = (node: string, kind: string): Said => ({
      text: `2026-03-01T10:00:00Z ${node} app[1]: ${kind}`,
      kind,
    })
    const said = Array.from({ length: 60 * size }, (_, index) =>
      index % 2 === 0 ? lineOf('rack1', `disk ${index % 20}`) : lineOf('rack2', `mail ${index % 21}`),
    )
    const now = lineOf('rack2', 'disk 4')
    const [found] = foundIn([...said, now], said.length, { 'disk 4': 2 })
    expect(found).toMatchObject({ label: 'out_of_place', subject: 'rack2: disk 4', severity: 'ERROR' })
    expect(found?.reason).toMatch(/^From rack2, from where this kind of message never came in \d+ times/)
  })
})
