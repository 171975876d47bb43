import { describe, expect, test } from 'vitest'
import { findChangedNodes } from './find-changed-nodes.ts'
import { minScore } from './finding.ts'
import { type Said, stretchesOf } from './stretches-for-tests.ts'

const size = 100
const judgedFrom = 12
const count = 40 * size

/** A log in which the node of each line is told by its number. */
const logOf = (nodeAt: (line: number) => string, lines = count): Said[] =>
  Array.from({ length: lines }, (_, line) => ({
    text: `2026-03-01T10:00:00Z ${nodeAt(line)} app[1]: ready`,
    kind: 'ready',
  }))
const toldIn = (said: readonly Said[]) =>
  findChangedNodes(stretchesOf(said, size), judgedFrom).filter(({ score }) => score >= minScore)
const turns = (line: number): string => `rack${line % 10}`

describe('machines of one source', () => {
  test('that go on as they did are not told of', () => {
    expect(toldIn(logOf(turns))).toEqual([])
  })

  test('of which one falls silent while the others go on are told of by its name, with the last that it said', () => {
    const said = logOf((line) => (line >= 30 * size && line % 10 === 3 ? 'rack4' : turns(line)))
    const [found, ...others] = toldIn(said)
    expect(others).toEqual([])
    expect(found).toMatchObject({ label: 'node_silence', subject: 'rack3', severity: 'WARN' })
    expect(found?.entries.map(({ sequence }) => sequence)).toEqual([30 * size - 7])
    expect(found?.reason).toBe('Nothing from rack3 among the last 1000 entries, where about 100 were to be expected.')
  })

  test('of which one says far more than it did are told of by its name, with what it said', () => {
    const said = logOf((line) => (Math.floor(line / size) === 30 && line % 10 < 8 ? 'rack3' : turns(line)))
    const [found, ...others] = toldIn(said)
    expect(others).toEqual([])
    expect(found).toMatchObject({ label: 'node_burst', subject: 'rack3', count: 80 })
    expect(found?.reason).toBe('80 of 100 entries were from rack3, where 10 were usual.')
    expect(found?.entries).toHaveLength(80)
  })

  test('are not silent where another one only shouts', () => {
    const usual = stretchesOf(logOf(turns, 30 * size), size)
    const last = usual.at(-1)?.until ?? 0
    // Ten stretches in the time of a tenth of one: in that time none but the one that shouts has to be heard.
    const flood = stretchesOf(
      logOf(() => 'rack1', 10 * size),
      size,
    ).map((stretch, index) => ({
      ...stretch,
      since: last + index * 1_000,
      until: last + (index + 1) * 1_000,
    }))
    const found = findChangedNodes([...usual, ...flood], judgedFrom)
    expect(found.map(({ label }) => label)).not.toContain('node_silence')
    expect(found).toContainEqual(expect.objectContaining({ label: 'node_burst', subject: 'rack1' }))
  })

  test('that come and go all the time are not told of for being there', () => {
    expect(toldIn(logOf((line) => `laptop${Math.floor(line / 150)}`))).toEqual([])
  })

  test('are not told apart where there is one', () => {
    expect(toldIn(logOf(() => 'rack1'))).toEqual([])
  })
})
