import { expect, test } from 'vitest'
import { batchOf } from '../segments/store-for-tests.ts'
import { decodeBatch } from './entry-batch.ts'
import { withoutEntries } from './pick-entries.ts'

const lines = [
  { text: 'first über', sequence: 1, time: 5_000, sourceId: 'a', severity: 2, entryId: 'own-1' },
  { text: '', sequence: 2, sourceId: 'b' },
  { text: 'third', sequence: 3, time: 7_000, sourceId: 'a' },
  { text: 'last 日本', sequence: 4, time: 8_000, sourceId: 'c', entryId: 'own-4' },
]

test.each([[[0]], [[3]], [[1, 2]], [[]], [[0, 1, 2]]])(
  'a batch without entries %j equals a batch of the others',
  (removed) => {
    const picked = decodeBatch(
      withoutEntries(
        decodeBatch(batchOf(lines)),
        Uint8Array.from(lines, (_, entry) => (removed.includes(entry) ? 1 : 0)),
      ),
    )
    const expected = decodeBatch(batchOf(lines.filter((_, entry) => !removed.includes(entry))))
    const originsOf = ({ originOf, origins }: typeof picked) => [...originOf].map((origin) => origins[origin])
    expect({ ...picked, originOf: originsOf(picked), origins: [] }).toEqual({
      ...expected,
      originOf: originsOf(expected),
      origins: [],
    })
  },
)
