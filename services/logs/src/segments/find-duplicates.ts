import type { EntryBatch } from '../entries/entry-batch.ts'
import { sequenceOf } from '../entries/entry-order.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { keyPrefixAt } from './key-table.ts'
import type { Part } from './part.ts'

type Extent = {
  lowest: number
  highest: number
  first: number
  last: number
  hasTimeless: boolean
  hasForeignIds: boolean
}

/** The ranges of the entries of each source in a batch. */
const extentsOf = (batch: EntryBatch): Map<string, Extent> => {
  const extents = batch.origins.map(
    (): Extent => ({
      lowest: Number.POSITIVE_INFINITY,
      highest: Number.NEGATIVE_INFINITY,
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY,
      hasTimeless: false,
      hasForeignIds: false,
    }),
  )
  for (let index = 0; index < batch.count; index++) {
    const extent = extents[batch.originOf[index] ?? 0]
    if (!extent) continue
    const sequence = sequenceOf(batch.sequences[index] ?? 0)
    const time = batch.times[index] ?? Number.NaN
    if (sequence < extent.lowest) extent.lowest = sequence
    if (sequence > extent.highest) extent.highest = sequence
    if (Number.isNaN(time)) extent.hasTimeless = true
    else {
      if (time < extent.first) extent.first = time
      if (time > extent.last) extent.last = time
    }
  }
  for (const [index, sender] of batch.sender) {
    const extent = extents[batch.originOf[index] ?? 0]
    if (extent && sender.entryId !== undefined) extent.hasForeignIds = true
  }
  const bySource = new Map<string, Extent>()
  extents.forEach((extent, index) => {
    const source = batch.origins[index]?.sourceId ?? ''
    bySource.set(source, joined(bySource.get(source), extent))
  })
  return bySource
}

const joined = (known: Extent | undefined, extent: Extent): Extent =>
  known === undefined
    ? extent
    : {
        lowest: Math.min(known.lowest, extent.lowest),
        highest: Math.max(known.highest, extent.highest),
        first: Math.min(known.first, extent.first),
        last: Math.max(known.last, extent.last),
        hasTimeless: known.hasTimeless || extent.hasTimeless,
        hasForeignIds: known.hasForeignIds || extent.hasForeignIds,
      }

/** Whether a part may have an entry of a batch: an entry's id covers its source, sequence and time. */
const mayHold = (part: Part, extents: Map<string, Extent>): boolean =>
  part.streams.some((stream) => {
    const extent = extents.get(stream.origin.sourceId)
    if (!extent || stream.entries === 0) return false
    if (stream.hasForeignIds || extent.hasForeignIds) return true
    const sequencesMeet = extent.lowest <= stream.highestSequence && extent.highest >= stream.lowestSequence
    const timesMeet = extent.hasTimeless || (extent.first <= stream.lastTime && extent.last >= stream.firstTime)
    return sequencesMeet && timesMeet
  })

/**
 * Marks the entries of a batch that are already stored: one byte each, 1 for a duplicate. Segments that cannot contain one are not read; in the
 * others only entries that share the first four bytes of the key are compared in full.
 */
export const findDuplicates = async (batch: EntryBatch, parts: readonly Part[]): Promise<Uint8Array> => {
  const duplicates = new Uint8Array(batch.count)
  const extents = extentsOf(batch)
  for (const part of parts) {
    if (!mayHold(part, extents)) continue
    const candidates = await part.keyLookup()
    for (let index = 0; index < batch.count; index++) {
      if (duplicates[index] === 1) continue
      const found = candidates(keyPrefixAt(batch.keys, index * 16))
      if (found.length > 0 && (await isAmong(part, found, batch, index))) duplicates[index] = 1
    }
  }
  return duplicates
}

const isAmong = async (
  part: Part,
  documents: readonly number[],
  batch: EntryBatch,
  index: number,
): Promise<boolean> => {
  const key = Buffer.from(batch.keys.buffer, batch.keys.byteOffset + index * 16, 16).toString('hex')
  for (const document of documents) {
    if (keyOfEntryId((await part.entry(document)).entryId) === key) return true
  }
  return false
}
