import { compareCodePoints } from '../code-points.ts'
import type { Checkpoint } from '../collector.ts'
import type { FilePosition } from './file-position.ts'
import type { FoundFile } from './find-files.ts'

/** A log: its current files, and the known positions in it. */
export type LogWithPositions<File extends FoundFile = FoundFile> = {
  name: string
  files: File[]
  positions: FilePosition[]
}

/** Compares names as they are ordered within keys, where a small separator follows them. */
const compareNames = (a: string, b: string) => compareCodePoints(`${a}\u0001`, `${b}\u0001`)

/**
 * Merges files and positions log by log, so that only the positions of one log are in memory, even for a hundred thousand logs. Both inputs are in the
 * order of keys; positions of logs without files are skipped.
 */
export async function* logsWithPositions<File extends FoundFile>(
  files: readonly File[],
  checkpoints: AsyncIterable<Checkpoint>,
  read: (checkpoint: Checkpoint) => FilePosition,
): AsyncGenerator<LogWithPositions<File>> {
  const rows = checkpoints[Symbol.asyncIterator]()
  let row = await rows.next()
  const ordered = files.toSorted((a, b) => compareNames(a.log, b.log))
  for (let start = 0; start < ordered.length; ) {
    const name = ordered[start]?.log ?? ''
    let end = start + 1
    while (end < ordered.length && ordered[end]?.log === name) end++
    const positions: FilePosition[] = []
    while (!row.done) {
      const position = read(row.value)
      const order = compareNames(position.log, name)
      if (order > 0) break
      if (order === 0) positions.push(position)
      row = await rows.next()
    }
    yield { name, files: ordered.slice(start, end), positions }
    start = end
  }
}
