import { compareCodePoints } from '../code-points.ts'
import type { Checkpoint } from '../collector.ts'
import type { FilePlace } from './file-place.ts'
import type { FoundFile } from './find-files.ts'

/** A log: the files that there are of it, and the places that are known of it. */
export type LogWithPlaces<File extends FoundFile = FoundFile> = { name: string; files: File[]; places: FilePlace[] }

/** Names as they are ordered within keys, where something small follows them. */
const compareNames = (a: string, b: string) => compareCodePoints(`${a}\u0001`, `${b}\u0001`)

/**
 * Goes through files and places at once, log by log, so that of a hundred thousand logs the places of one alone are held. Both come in the order of keys;
 * logs of which no file is left are passed over.
 */
export async function* logsWithPlaces<File extends FoundFile>(
  files: readonly File[],
  checkpoints: AsyncIterable<Checkpoint>,
  read: (checkpoint: Checkpoint) => FilePlace,
): AsyncGenerator<LogWithPlaces<File>> {
  const rows = checkpoints[Symbol.asyncIterator]()
  let row = await rows.next()
  const ordered = files.toSorted((a, b) => compareNames(a.log, b.log))
  for (let start = 0; start < ordered.length; ) {
    const name = ordered[start]?.log ?? ''
    let end = start + 1
    while (end < ordered.length && ordered[end]?.log === name) end++
    const places: FilePlace[] = []
    while (!row.done) {
      const place = read(row.value)
      const order = compareNames(place.log, name)
      if (order > 0) break
      if (order === 0) places.push(place)
      row = await rows.next()
    }
    yield { name, files: ordered.slice(start, end), places }
    start = end
  }
}
