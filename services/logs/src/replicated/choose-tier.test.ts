import { expect, test } from 'vitest'
import { chooseTier } from './choose-tier.ts'
import type { SharedSegment } from './shared-catalogue.ts'

const limits = { documents: 131_072, textBytes: 32 * 1024 * 1024 }
const bytesPerDocument = 100

const segment = (version: number, documents: number): SharedSegment => ({
  key: `segment-${version}`,
  bytes: documents,
  checksum: 0,
  documents,
  textBytes: documents * bytesPerDocument,
  words: documents,
  firstTime: 0,
  lastTime: 0,
  version,
  contentVersion: version,
})

/** Adds segments of `documents` entries one by one and merges the chosen ones after each. */
const live = (count: number, documents: number) => {
  let segments: SharedSegment[] = []
  let written = 0
  let max = 0
  for (let version = 1; version <= count; version++) {
    segments.push(segment(version, documents))
    for (let chosen = chooseTier(segments, limits); chosen.length > 0; chosen = chooseTier(segments, limits)) {
      const merged = chosen.reduce((sum, row) => sum + row.documents, 0)
      written += merged
      segments = [...segments.filter((row) => !chosen.includes(row)), segment(version, merged)]
    }
    max = Math.max(max, segments.length)
  }
  return { segments, max, writtenPerDocument: written / (count * documents) }
}

test.each([1, 10, 700, 5_000, 40_000])(
  'segments of %d entries stay few, and no entry is rewritten much more often than needed',
  (documents) => {
    const { segments, max, writtenPerDocument } = live(6_000, documents)
    const full = (6_000 * documents) / (limits.documents / 2)
    expect(max).toBeLessThan(full + 8 * 6)
    expect(writtenPerDocument).toBeLessThan(Math.log(limits.documents / documents) / Math.log(8) + 1.5)
    expect(segments.reduce((sum, row) => sum + row.documents, 0)).toBe(6_000 * documents)
    for (const row of segments) {
      expect(row.documents).toBeLessThanOrEqual(limits.documents)
      expect(row.textBytes).toBeLessThanOrEqual(limits.textBytes)
    }
  },
)

test('segments that are half full are not merged', () => {
  expect(
    chooseTier(
      Array.from({ length: 20 }, (_, index) => segment(index + 1, 70_000)),
      limits,
    ),
  ).toEqual([])
})

test('long texts also fill a segment', () => {
  const rows = Array.from({ length: 8 }, (_, index) => ({ ...segment(index + 1, 100), textBytes: 10 * 1024 * 1024 }))
  expect(chooseTier(rows, limits).map(({ key }) => key)).toEqual(['segment-1', 'segment-2', 'segment-3'])
})
