import { describe, expect, test } from 'vitest'
import { commitNode, type DecisionOutcome, discardNode, pathTo, spineOf, type TreeNode } from './spine.ts'

/** Parses a tree from lines of `id parent decision status`; a root has the parent `-`. */
const tree = (text: string): TreeNode[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', parent = '-', decision = 'undecided', status = 'ready'] = line.trim().split(/\s+/)
      return { id, parent_id: parent === '-' ? null : parent, decision, status } as TreeNode
    })

const ids = (nodes: readonly TreeNode[]) => nodes.map(({ id }) => id).join(' ')
const changes = (outcome: DecisionOutcome) =>
  outcome.kind === 'changed' ? Object.fromEntries(outcome.decisions) : outcome.why

const grown = tree(`
  root - committed
  a root committed
  b root undecided
  c a committed
  d c committed
  e c discarded
  f b undecided
  g a undecided generating
  h b undecided error
`)

describe('the spine', () => {
  test('consists of the committed nodes from the root on', () => {
    expect(ids(spineOf(grown))).toBe('root a c d')
  })

  test('a path leads from the root to a node, even an undecided one', () => {
    expect(ids(pathTo(grown, 'f'))).toBe('root b f')
  })
})

describe('committing', () => {
  test('resets the committed sibling and its descendants to undecided', () => {
    expect(changes(commitNode(grown, 'b'))).toEqual({ b: 'committed', a: 'undecided', c: 'undecided', d: 'undecided' })
  })

  test('restores a discarded node', () => {
    expect(changes(commitNode(grown, 'e'))).toEqual({ e: 'committed', d: 'undecided' })
  })

  test('has no effect on a committed node', () => {
    expect(changes(commitNode(grown, 'c'))).toEqual({})
    expect(changes(commitNode(grown, 'root'))).toEqual({})
  })

  test.each([
    ['f', /parent is not on the spine/],
    ['g', /not ready/],
    ['h', /not ready/],
  ])('rejects %s', (id, why) => {
    expect(changes(commitNode(grown, id))).toMatch(why)
  })
})

describe('discarding', () => {
  test('removes a node and its descendants from the spine', () => {
    expect(changes(discardNode(grown, 'c'))).toEqual({ c: 'discarded', d: 'undecided' })
  })

  test('only marks a node beside the spine', () => {
    expect(changes(discardNode(grown, 'b'))).toEqual({ b: 'discarded' })
    expect(changes(discardNode(grown, 'e'))).toEqual({})
  })

  test('rejects the upload', () => {
    expect(changes(discardNode(grown, 'root'))).toMatch(/delete the chain/)
  })
})
