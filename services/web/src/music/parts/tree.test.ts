import type { ChainRest, NodeRest } from '@trellis/protos/edge/client.ts'
import { expect, test } from 'vitest'
import { pathTo, takesOf } from './tree.ts'

const node = (node_id: string, parent_id: string | null, created_at: string) =>
  ({ node_id, parent_id, created_at }) as NodeRest
const nodes = [node('c', 'a', '3'), node('b', 'a', '2'), node('a', null, '1'), node('d', 'b', '4')]
const chain = { nodes, spine: ['a', 'b'], root_node_id: 'a' } as unknown as ChainRest

test('takes follow their parents, numbered in the order in which they were made', () => {
  expect(
    takesOf(chain).map(({ node: { node_id }, depth, label, isOnSpine }) => [node_id, depth, label, isOnSpine]),
  ).toEqual([
    ['a', 0, 'Upload', true],
    ['b', 1, 'Take 1', true],
    ['d', 2, 'Take 1', false],
    ['c', 1, 'Take 2', false],
  ])
})

test('the path to a node starts at the upload', () => {
  expect(pathTo(nodes, 'd').map(({ node_id }) => node_id)).toEqual(['a', 'b', 'd'])
  expect(pathTo(nodes, 'x')).toEqual([])
})
