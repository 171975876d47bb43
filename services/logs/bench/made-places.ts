/** A file with which something goes wrong in a made log, and what. */
export type Oddity = { kind: string; file: string }

/** A made log, its lines in the order of time, what goes wrong in it, and the machines that fall silent and shout, if any do. */
export type MadeLog = { lines: string[]; oddities: Oddity[]; silent: string | null; loud: string | null }

/** Linear congruential generator (Numerical Recipes): the same seed makes the same log. */
const createChance = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { next, below: (count: number) => Math.floor(next() * count), isOneIn: (count: number) => next() * count < 1 }
}

/** The life of a file that is stored, copied and at last removed. */
const steps = {
  begin: 'store: begins to take',
  copy: 'copier: copies a third time',
  check: 'checker: has compared the sums of',
  keep: 'store: keeps',
  index: 'indexer: has noted the words of',
  remove: 'cleaner: takes away',
} as const
type StepName = keyof typeof steps

const ways: readonly (readonly StepName[])[] = [
  ['begin', 'copy', 'check', 'keep', 'index'],
  ['begin', 'copy', 'check', 'keep', 'index', 'remove'],
  ['begin', 'check', 'keep'],
]
/** What may go wrong with a file. */
const wrongs: readonly { kind: string; of: readonly StepName[] }[] = [
  { kind: 'a step too early', of: ['begin', 'copy', 'keep', 'check', 'index'] },
  { kind: 'a step left out', of: ['begin', 'copy', 'check', 'index'] },
  { kind: 'a step too much', of: ['begin', 'copy', 'check', 'keep', 'copy', 'index'] },
  { kind: 'the end is missing', of: ['begin', 'copy', 'check'] },
]

export type MadeOptions = { seed: number; files: number; nodes: number; withOddities: boolean }

const begin = Date.parse('2026-03-01T00:00:00Z')
const millisecondsAFile = 2_000
const judgedShare = 0.3
/** One file in so many of those that are judged goes wrong. */
const filesForOneWrong = 200

/** Files on their way at the same time on machines that take turns; with oddities some go wrong, one machine falls silent and another one shouts. */
export const makePlaces = ({ seed, files, nodes, withOddities }: MadeOptions): MadeLog => {
  const chance = createChance(seed)
  const nameOf = (node: number) => `rack${node}`
  const silent = withOddities ? nameOf(1) : null
  const loud = withOddities ? nameOf(2) : null
  const timed: { time: number; line: string }[] = []
  const oddities: Oddity[] = []
  const fileName = (number: number) => `file_${seed * 100_000_000 + number}`
  const add = (time: number, node: string, step: StepName, file: string) =>
    timed.push({ time, line: `${new Date(time).toISOString()} ${node} ${steps[step]} ${file}` })
  for (let file = 0; file < files; file++) {
    const isJudged = file > files * judgedShare + 1
    const wrong =
      withOddities && isJudged && chance.isOneIn(filesForOneWrong) ? wrongs[chance.below(wrongs.length)] : undefined
    const way = wrong?.of ?? ways[chance.below(ways.length)] ?? []
    let node = nameOf(chance.below(nodes))
    if (node === silent && file > files * 0.8) node = nameOf(0)
    let time = begin + file * millisecondsAFile
    const name = fileName(file)
    for (const step of way) {
      time += 1 + chance.below(9_000)
      add(time, node, step, name)
    }
    if (wrong) oddities.push({ kind: wrong.kind, file: name })
    if (loud !== null && file >= files * 0.7 && file < files * 0.7 + files / 40)
      for (let more = 0; more < 6; more++) {
        time += 1
        add(time, loud, 'index', fileName(files + file * 10 + more))
      }
  }
  return {
    lines: timed.toSorted((one, other) => one.time - other.time).map(({ line }) => line),
    oddities,
    silent,
    loud,
  }
}
