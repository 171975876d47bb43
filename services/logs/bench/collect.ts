import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileSource, withCollecting } from '../src/collect/collecting-for-tests.ts'
import { type Corpus, makeCorpus } from './corpus.ts'

export type CollectFigures = {
  lines: number
  /** From the start of the run until the last line is durable and searchable and its checkpoint stored; includes starting the threads. */
  linesPerSecond: number
  /** A run over the same files without changes. */
  unchangedMilliseconds: number
  /** Reading everything again, which stores nothing. */
  forcedLinesPerSecond: number
}

/** Collects the corpus from a number of local files, half of which rotation has renamed. */
export const measureCollect = async (corpus: Corpus, files: number): Promise<CollectFigures> => {
  await using opened = await withCollecting()
  const pathOf = (index: number) => join(opened.directory, `app-${index % files}.log`)
  for (const [index, chunk] of corpus.chunks.entries()) {
    await using file = await open(pathOf(index), 'a')
    await file.writeFile(chunk)
  }
  for (let index = 0; index < files; index += 2) await rename(pathOf(index), `${pathOf(index)}.1`)
  const source = fileSource({ id: 'bench', path: opened.directory, include: ['app-*'], recursive: false })
  const timed = async (force: boolean) => {
    const started = performance.now()
    const { lines } = await opened.glean(source, { force })
    return { lines, milliseconds: performance.now() - started }
  }
  const first = await timed(false)
  const unchanged = await timed(false)
  const forced = await timed(true)
  return {
    lines: first.lines,
    linesPerSecond: Math.round((first.lines / first.milliseconds) * 1000),
    unchangedMilliseconds: Math.round(unchanged.milliseconds),
    forcedLinesPerSecond: Math.round((forced.lines / forced.milliseconds) * 1000),
  }
}

if (import.meta.main) {
  const figures = await measureCollect(makeCorpus(Number(process.argv[2] ?? 1_000_000), undefined), 10)
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
}
