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
 * Makes a catalogue of at least so many lines of the segments there are: each row is a segment under a name of its own, a second later
 * than the one before. Their files are links, so that a hundred million lines take the room of a few; the times within are the same.
 */
const multiply = async (directory: string, wanted: number): Promise<{ segments: number; lines: number }> => {
  await using bench = await openBenchEngine(directory)
  const { catalogue } = bench
  const kept = await catalogue.list()
  let lines = kept.reduce((sum, { documents }) => sum + documents, 0)
  let segments = kept.length
  const last = kept.reduce((max, { logPosition }) => Math.max(max, logPosition), 0)
  while (lines < wanted) {
    const add = Array.from({ length: rowsAtOnce }, (_, index) => {
      const row = kept[(segments + index) % kept.length]
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

/** How much memory taking in and searching a corpus needs, and how long it takes to open so many lines made of it. */
export const measureInChild = async ({ chunks }: Corpus, lines: number): Promise<ChildFigures> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'))
  try {
    const file = join(directory, 'corpus.log')
    await writeFile(file, chunks)
    const resident = await inChild<ResidentFigures>(new URL('./resident.ts', import.meta.url), [directory, file])
    const made = await multiply(directory, lines)
    return {
      ...resident,
      ...made,
      ...(await inChild<OpeningFigures>(new URL('./opening.ts', import.meta.url), [directory])),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
