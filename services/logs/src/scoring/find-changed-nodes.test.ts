import { describe, expect, test } from 'vitest'
import { findChangedNodes } from './find-changed-nodes.ts'
import { minScore } from './finding.ts'
import { stretchesOf, type TestLine } from './stretches-for-tests.ts'

const size = 100
const judgedFrom = 12
const count = 40 * size

/** A log whose lines have the node that a function returns for their number. */
const logOf = (nodeAt: (line: number) => string, lines = count): TestLine[] =>
  Array.from({ length: lines }, (_, line) => ({
    text: `2026-03-01T10:00:00Z ${nodeAt(line)} app[1]: ready`,
    kind: 'ready',
  }))
const changesIn = (lines: readonly TestLine[]) =>
  findChangedNodes(stretchesOf(lines, size), judgedFrom).filter(({ score }) => score >= minScore)
const inTurns = (line: number): string => `rack${line % 10}`

describe('changed nodes of one source', () => {
  test('do not include nodes that continue as before', () => {
    expect(changesIn(logOf(inTurns))).toEqual([])
  })

  test('include a node that falls silent while the others continue, with its last entry', () => {
    const lines = logOf((line) => (line >= 30 * size && line % 10 === 3 ? 'rack4' : inTurns(line)))
    const [found, ...others] = changesIn(lines)
    expect(others).toEqual([])
    expect(found).toMatchObject({ label: 'node_silence', subject: 'rack3', severity: 'WARN' })
    expect(found?.entries.map(({ sequence }) => sequence)).toEqual([30 * size - 7])
    expect(found?.reason).toBe('Nothing from rack3 among the last 1,000 entries, where about 100 were to be expected.')
  })

  test('include a node with far more entries than before, with these entries', () => {
    const lines = logOf((line) => (Math.floor(line / size) === 30 && line % 10 < 8 ? 'rack3' : inTurns(line)))
    const [found, ...others] = changesIn(lines)
    expect(others).toEqual([])
    expect(found).toMatchObject({ label: 'node_burst', subject: 'rack3', count: 80 })
    expect(found?.reason).toBe('80 of 100 entries were from rack3, where 10 were usual.')
    expect(found?.entries).toHaveLength(80)
  })

  test('do not include silent nodes where another node only has a burst', () => {
    const usual = stretchesOf(logOf(inTurns, 30 * size), size)
    const last = usual.at(-1)?.until ?? 0
    // Ten stretches in a tenth of the time of one, too short for the other nodes to be expected.
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

  test('do not include nodes that come and go all the time', () => {
    expect(changesIn(logOf((line) => `laptop${Math.floor(line / 150)}`))).toEqual([])
  })

  test('are empty if there is only one node', () => {
    expect(changesIn(logOf(() => 'rack1'))).toEqual([])
  })
})
