import { expect, test } from 'vitest'
import { createBatchBuilder } from '../entries/batch-builder.ts'
import type { Origin } from '../entries/entry.ts'
import { decodeBatch } from '../entries/entry-batch.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { createBatchAnalyser } from '../segments/batch-analysis.ts'
import { createMemoryIndex } from '../segments/memory-index.ts'
import { entryAt } from '../segments/memory-part.ts'
import { packEntries, transferablesOfEntries, unpackEntries } from './packed-entries.ts'

const origins: Origin[] = [
  { sourceId: 'attic:one:sshd', branch: null, tenantId: null, format: 'plain' },
  { sourceId: 'cellar', branch: 'barn', tenantId: 't', format: 'plain', anonymized: true },
]

const filled = () => {
  const index = createMemoryIndex({ documents: 64, textBytes: 64 * 1024 })
  const builder = createBatchBuilder(64, 4_096)
  for (let number = 0; number < 40; number++)
    builder.add({
      origin: origins[number % 3 === 0 ? 1 : 0] ?? { sourceId: '', branch: null, tenantId: null, format: '' },
      sequence: number,
      time: number % 5 === 0 ? Number.NaN : 1_700_000_000_000 + number,
      severity: number % 4 === 0 ? undefined : number % 4,
      repeatCount: 1 + (number % 2),
      text: number === 7 ? '' : `Failed password für root, attempt ${number}`,
      truncated: number === 9,
      outOfOrder: number === 11,
      ...(number === 13 && { sender: { entryId: 'a sender’s own', fields: { host: 'attic' } } }),
    })
  const batch = decodeBatch(builder.finish(1_700_000_100_000))
  const analysis = createBatchAnalyser(createEnricher())(batch)
  index.add(
    batch,
    analysis,
    analysis.shapes.map((shape) => (shape === '' ? '' : 'old')),
  )
  return index
}

test('packed entries unpack unchanged, from any range of an index', () => {
  const index = filled()
  for (const [from, to] of [
    [0, 40],
    [10, 20],
    [39, 40],
    [5, 5],
  ] as const) {
    const packed = packEntries(index, [from, to], (templateId) => templateId)
    const moved = structuredClone(packed, { transfer: transferablesOfEntries(packed) as ArrayBuffer[] })
    expect(unpackEntries(moved)).toEqual(Array.from({ length: to - from }, (_, at) => entryAt(index, from + at)))
  }
})

test('an entry gets the template that its own resolves to now', () => {
  const entries = unpackEntries(packEntries(filled(), [0, 40], (templateId) => `${templateId} now`))
  expect(new Set(entries.map(({ templateId }) => templateId))).toEqual(new Set(['old now', null]))
})
