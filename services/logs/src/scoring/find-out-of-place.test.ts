import { describe, expect, test } from 'vitest'
import { findOutOfPlace } from './find-out-of-place.ts'
import { minScore } from './finding.ts'
import { stretchesOf, type TestLine, templatesOf, timeOfLine } from './stretches-for-tests.ts'

const size = 200

/** Files with three steps each, always two in progress, so that adjacent lines of the log are not adjacent steps of a file. */
const files = (count: number, from = 100_000_000): TestLine[] =>
  Array.from({ length: count / 2 }, (_, pair) => {
    const names = [from + pair * 2, from + pair * 2 + 1]
    return ['begin', 'copy', 'keep'].flatMap((kind) => names.map((name) => ({ text: `${kind} file_${name}`, kind })))
  }).flat()

const foundIn = (lines: readonly TestLine[], judgedFrom: number, levels: Parameters<typeof templatesOf>[1] = {}) =>
  findOutOfPlace(stretchesOf(lines, size), templatesOf(lines, levels), timeOfLine(judgedFrom))
const reportedIn = (...log: Parameters<typeof foundIn>) => foundIn(...log).filter(({ score }) => score >= minScore)

const fileOf = (...kinds: string[]): TestLine[] => kinds.map((kind) => ({ text: `${kind} file_999999999`, kind }))

describe('a known template in a new place', () => {
  const usual = files(2_000)

  test('is reported after a template that it never followed in a session, and the reason names both', () => {
    const [found, ...others] = reportedIn([...usual, ...fileOf('begin', 'keep')], usual.length)
    expect(others).toEqual([])
    expect(found).toMatchObject({ label: 'out_of_place', subject: 'keep', count: 1 })
    expect(found?.entries[0]?.text).toBe('keep file_999999999')
    expect(found?.reason).toBe(
      'After "begin" in file_999999999, which this kind of message never came after in 2000 times, all of them in 1 other place.',
    )
  })

  test('is not reported in the usual order, even if sessions are interleaved', () => {
    expect(foundIn([...usual, ...files(400, 200_000_000)], usual.length)).toEqual([])
  })

  test('is not reported if it repeats in a session', () => {
    expect(foundIn([...usual, ...fileOf('begin', 'copy', 'copy', 'copy', 'keep')], usual.length)).toEqual([])
  })

  test('is not reported before enough was learned', () => {
    const few = files(60)
    expect(reportedIn([...few, ...fileOf('begin', 'keep')], few.length)).toEqual([])
  })

  test('has a higher score the more severe its level and wording are', () => {
    const odd = [...usual, ...fileOf('begin', 'keep')]
    const [plain] = foundIn(odd, usual.length)
    const [error] = foundIn(odd, usual.length, { keep: 2 })
    expect(error?.score ?? 0).toBeGreaterThan(plain?.score ?? 1)
  })

  test('is judged from a time on; earlier entries are only learned from', () => {
    const odd = [...usual, ...fileOf('begin', 'keep'), ...files(20, 300_000_000)]
    expect(foundIn(odd, usual.length + 2)).toEqual([])
  })

  test('is reported from a node that never wrote it, with the name of the node', () => {
    const lineOf = (node: string, kind: string): TestLine => ({
      text: `2026-03-01T10:00:00Z ${node} app[1]: ${kind}`,
      kind,
    })
    const lines = Array.from({ length: 60 * size }, (_, index) =>
      index % 2 === 0 ? lineOf('rack1', `disk ${index % 20}`) : lineOf('rack2', `mail ${index % 21}`),
    )
    const now = lineOf('rack2', 'disk 4')
    const [found] = foundIn([...lines, now], lines.length, { 'disk 4': 2 })
    expect(found).toMatchObject({ label: 'out_of_place', subject: 'rack2: disk 4', severity: 'ERROR' })
    expect(found?.reason).toMatch(/^From rack2, from where this kind of message never came in \d+ times/)
  })
})
