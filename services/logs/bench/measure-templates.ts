import { setTimeout as pause } from 'node:timers/promises'
import { decodeBatch } from '../src/entries/entry-batch.ts'
import { createFileParser } from '../src/formats/file-parser.ts'
import { utc } from '../src/formats/zone.ts'
import { createEnricher } from '../src/patterns/enricher.ts'
import { createBatchAnalyser } from '../src/segments/batch-analysis.ts'
import { createMiner } from '../src/templates/miner.ts'
import { createShapes } from '../src/templates/shapes.ts'
import type { LabelledSet } from './loghub.ts'

export type TemplateFigures = {
  name: string
  /** Kinds by the labels, and templates found. */
  kinds: number
  templates: number
  /** With the published content, and with lines whose headers were parsed here. */
  accuracy: number
  accuracyOwn: number
  /**
   * Lines per second of processor time of one thread, from the bytes of the content to its template: for the set repeated a hundred times, starting
   * with an empty miner; and for the first repetition alone.
   */
  linesPerSecond: number
  linesPerSecondAtFirst: number
}

const max = 20_000

/**
 * The share of lines whose group consists of exactly the lines of their true group: grouping accuracy by Zhu et al. (ICSE-SEIP 2019).
 */
export const groupingAccuracy = (found: readonly string[], kinds: readonly string[]): number => {
  const sizes = new Map<string, number>()
  for (const kind of kinds) sizes.set(kind, (sizes.get(kind) ?? 0) + 1)
  const groups = Map.groupBy(found.keys(), (line) => found[line] ?? '')
  let right = 0
  for (const lines of groups.values()) {
    const [kind, ...others] = new Set(lines.map((line) => kinds[line] ?? ''))
    if (kind !== undefined && others.length === 0 && sizes.get(kind) === lines.length) right += lines.length
  }
  return right / kinds.length
}

type Contents = readonly Uint8Array[]

const createContentMiner = () => {
  const shapes = createShapes()
  const miner = createMiner(max)
  return (contents: Contents): string[] => {
    shapes.start()
    const numbers = contents.map((content) => shapes.add(content, 0, content.length))
    const ids = shapes.finish().map(miner.mine)
    return numbers.map((number) => miner.resolve(ids[number] ?? ''))
  }
}

/** Processor seconds of this thread. */
const processorSeconds = (work: () => void): number => {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}

/** The templates of all lines of a file; a line joined to an entry has the entry's template. */
const mineFile = ({ raw, kinds }: LabelledSet): string[] => {
  const miner = createMiner(max)
  const analyse = createBatchAnalyser(createEnricher())
  const found: string[] = []
  const parser = createFileParser({
    source: { sourceId: 'bench', branch: null, tenantId: null },
    time: { zone: utc, reference: 0 },
    now: () => 0,
    onBatch: (buffer) => {
      const batch = decodeBatch(buffer)
      const { shapes, shapeOf } = analyse(batch)
      const ids = shapes.map(miner.mine)
      for (let entry = 0; entry < batch.count; entry++)
        found[(batch.sequences[entry] ?? 1) - 1] = ids[shapeOf[entry] ?? 0] ?? ''
    },
  })
  parser.push(raw)
  parser.end()
  const all: string[] = []
  for (let line = 0; line < kinds.length; line++) all.push(miner.resolve(found[line] ?? '') || (all.at(-1) ?? ''))
  return all
}

const rounds = 20
const repeats = 100
/** Sums are used, since the clock of thread time may have a resolution of milliseconds. */
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const measureSpeed = (contents: Contents) => {
  const first: number[] = []
  const all: number[] = []
  for (let round = 0; round < rounds; round++) {
    const mine = createContentMiner()
    const atFirst = processorSeconds(() => mine(contents))
    const after = processorSeconds(() => {
      for (let repeat = 1; repeat < repeats; repeat++) mine(contents)
    })
    first.push(atFirst)
    all.push(atFirst + after)
  }
  return {
    linesPerSecond: Math.round((contents.length * repeats * rounds) / sum(all)),
    linesPerSecondAtFirst: Math.round((contents.length * rounds) / sum(first)),
  }
}

/** Uses one configuration for all sets, and an empty miner for each. */
export const measureTemplates = async (sets: readonly LabelledSet[]): Promise<TemplateFigures[]> => {
  const figures: TemplateFigures[] = []
  for (const set of sets) {
    const contents = set.contents.map((content) => Buffer.from(content))
    const found = createContentMiner()(contents)
    figures.push({
      name: set.name,
      kinds: new Set(set.kinds).size,
      templates: new Set(found).size,
      accuracy: groupingAccuracy(found, set.kinds),
      accuracyOwn: groupingAccuracy(mineFile(set), set.kinds),
      ...measureSpeed(contents),
    })
    await pause(0)
  }
  return figures
}
