import { describe, expect, test } from 'vitest'
import { nodeOf, nodePatterns } from './node-of.ts'
import { sessionIdsOf, sessionPatterns } from './session-ids.ts'

describe('the node of an entry', () => {
  test.each(nodePatterns)('is found in a line of $name', ({ sample, node }) => {
    expect(nodeOf({ text: sample, sender: null })).toBe(node)
  })

  test.each([
    ['host', { host: 'rack7' }],
    ['host.name of ECS', { host: { name: 'rack7' } }],
    ['k8s.node.name of OpenTelemetry', { 'k8s.node.name': 'rack7' }],
  ])('is found in the field %s of its sender', (_, fields) => {
    expect(nodeOf({ text: 'ready', sender: { fields } })).toBe('rack7')
  })

  test.each([
    '2026-03-01 10:00:00,123 INFO [main] org.example.Store: ready',
    '[Sun Dec 04 04:47:44 2005] [error] child in state 6',
    'Mar  1 22:14:15 - app: ready',
    '1117838570 2005.06.03 NULL 2005-06-03-15.42.50.675872 NULL RAS KERNEL INFO ready',
    'message without anything',
  ])('is null if the line has none: %s', (text) => {
    expect(nodeOf({ text, sender: null })).toBeNull()
  })
})

describe('the session ids of an entry', () => {
  test.each(sessionPatterns)('are found: $name', ({ sample, ids }) => {
    expect(sessionIdsOf(sample)).toEqual(ids)
  })

  test.each([
    '2026-03-01T10:00:00.123Z INFO ready after 123456789 ms at 192.0.2.7:50010',
    '1117838570 2005.06.03 R02-M1-N0-C:J12-U11 2005-06-03-15.42.50.675872 RAS KERNEL INFO instruction cache',
  ])('exclude times, addresses and numbers: %s', (text) => {
    expect(sessionIdsOf(text)).toEqual([])
  })

  test('are empty for a line with many ids', () => {
    expect(sessionIdsOf(Array.from({ length: 9 }, (_, index) => `blk_10000000${index}`).join(' '))).toEqual([])
  })
})
