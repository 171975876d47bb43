import type { ChainRest, NodeRest } from '@trellis/protos/edge/client.ts'
import { expect, test } from 'vitest'
import { createNumbering, partnerOf, pathTo, takesOf } from './tree.ts'

const node = (node_id: string, parent_id: string | null, created_at: string) =>
  ({ node_id, parent_id, created_at }) as NodeRest
const nodes = [node('c', 'a', '3'), node('b', 'a', '2'), node('a', null, '1'), node('d', 'b', '4')]
const chain = { nodes, spine: ['a', 'b'], root_node_id: 'a' } as unknown as ChainRest

test('takes follow their parents, numbered in the order in which they were made', () => {
  expect(
    takesOf(chain).map(({ node: { node_id }, depth, label, parent, isOnSpine }) => [
      node_id,
      depth,
      label,
      parent,
      isOnSpine,
    ]),
  ).toEqual([
    ['a', 0, 'Upload', '', true],
    ['b', 1, 'Take 1', 'Upload', true],
    ['d', 2, 'Take 3', 'Take 1', false],
    ['c', 1, 'Take 2', 'Upload', false],
  ])
})

test('a take that is deleted leaves the others their numbers, and new ones get those after it', () => {
  const numbering = createNumbering()
  numbering(chain)
  const others = { ...chain, nodes: [...nodes.filter(({ node_id }) => node_id !== 'c'), node('e', 'd', '5')] }
  const labels = takesOf(others, numbering(others)).map(({ label, parent }) => [label, parent])
  expect(labels).toEqual([
    ['Upload', ''],
    ['Take 1', 'Upload'],
    ['Take 3', 'Take 1'],
    ['Take 4', 'Take 3'],
  ])
  const another = { ...chain, chain_id: 'another' }
  expect(numbering(another)).toEqual(createNumbering()(chain))
})

test('the path to a node starts at the upload', () => {
  expect(pathTo(nodes, 'd').map(({ node_id }) => node_id)).toEqual(['a', 'b', 'd'])
  expect(pathTo(nodes, 'x')).toEqual([])
})

const take = (node_id: string, parent_id: string, created_at: string, status = 'ready') =>
  ({ node_id, parent_id, created_at, status, kind: 'continuation' }) as NodeRest

test('a take is compared with the one chosen, a sibling, or the last one played, and never with itself', () => {
  const takes = [
    node('a', null, '1'),
    take('b', 'a', '2'),
    take('c', 'a', '3'),
    take('d', 'a', '4'),
    take('e', 'b', '5'),
    take('f', 'a', '6', 'generating'),
  ]
  const partner = (id: string, played: string[] = [], chosen = '') => partnerOf(takes, id, { chosen, played })
  expect(partner('b')).toBe('c')
  expect(partner('b', ['b', 'd', 'c'])).toBe('d')
  expect(partner('b', ['d'], 'c')).toBe('c')
  expect(partner('b', ['f'], 'f')).toBe('c')
  // Without a sibling, with the last one played.
  expect(partner('e', ['e', 'd'])).toBe('d')
  expect(partner('e')).toBe('b')
  expect(partnerOf(takes.slice(0, 2), 'b', { chosen: '', played: [] })).toBe(undefined)
})
