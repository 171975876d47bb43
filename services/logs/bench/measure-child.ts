import { link, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Corpus } from './corpus.ts'
import { inChild } from './in-child.ts'
import { openBenchEngine } from './measure.ts'
import type { OpeningFigures } from './opening.ts'
import type { ResidentFigures } from './resident.ts'

const second = 1_000
const rowsAtOnce = 100

/**
 * Extends the catalogue to at least a number of lines by repeating its segments: each row is a segment under a new name, a second later than the
 * previous one. Their files are hard links, so that a hundred million lines take the space of a few; the times within are the same.
 */
const multiply = async (directory: string, minLines: number): Promise<{ segments: number; lines: number }> => {
  await using bench = await openBenchEngine(directory)
  const { catalogue } = bench
  const originals = await catalogue.list()
  let lines = originals.reduce((sum, { documents }) => sum + documents, 0)
  let segments = originals.length
  const last = originals.reduce((max, { logPosition }) => Math.max(max, logPosition), 0)
  while (lines < minLines) {
    const add = Array.from({ length: rowsAtOnce }, (_, index) => {
      const row = originals[(segments + index) % originals.length]
      if (!row) throw new Error('There is no segment to multiply.')
      const number = segments + index
      const later = number * second
      const logPosition = last + number
      return {
        from: row.key,
        row: {
          ...row,
          key: `segments/${String(logPosition).padStart(12, '0')}-${number.toString(16).padStart(12, '0')}`,
          firstTime: row.firstTime + later,
          lastTime: row.lastTime + later,
          logPosition,
        },
      }
    })
    for (const { from, row } of add) await link(join(directory, 'files', from), join(directory, 'files', row.key))
    await catalogue.change({ add: add.map(({ row }) => row) })
    segments += add.length
    lines += add.reduce((sum, { row }) => sum + row.documents, 0)
  }
  return { segments, lines }
}

export type ChildFigures = ResidentFigures & OpeningFigures & { segments: number; lines: number }

/** Memory for ingesting and searching a corpus, and the time to open a store with this number of lines. */
export const measureInChild = async ({ chunks }: Corpus, lines: number): Promise<ChildFigures> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  try {
    const file = join(directory, 'corpus.log')
    await writeFile(file, chunks)
    const resident = await inChild<ResidentFigures>(new URL('./resident.ts', import.meta.url), [directory, file])
    const multiplied = await multiply(directory, lines)
    return {
      ...resident,
      ...multiplied,
      ...(await inChild<OpeningFigures>(new URL('./opening.ts', import.meta.url), [directory])),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
