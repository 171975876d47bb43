/** A file with an anomaly in a synthetic log, and the kind of anomaly. */
export type Anomaly = { kind: string; file: string }

/** A synthetic log: its lines in order of time, the anomalies in it, and the machines that fall silent or have a burst, if any. */
export type SyntheticLog = { lines: string[]; anomalies: Anomaly[]; silent: string | null; loud: string | null }

/** Linear congruential generator (Numerical Recipes): the same seed yields the same log. */
const createChance = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { next, below: (count: number) => Math.floor(next() * count), isOneIn: (count: number) => next() * count < 1 }
}

/** The lifecycle of a file that is stored, copied and eventually removed. */
const steps = {
  begin: 'store: begins to take',
  copy: 'copier: copies a third time',
  check: 'checker: has compared the sums of',
  keep: 'store: keeps',
  index: 'indexer: has noted the words of',
  remove: 'cleaner: takes away',
} as const
type StepName = keyof typeof steps

const normalSequences: readonly (readonly StepName[])[] = [
  ['begin', 'copy', 'check', 'keep', 'index'],
  ['begin', 'copy', 'check', 'keep', 'index', 'remove'],
  ['begin', 'check', 'keep'],
]
/** Sequences with an anomaly. */
const anomalousSequences: readonly { kind: string; of: readonly StepName[] }[] = [
  { kind: 'a step too early', of: ['begin', 'copy', 'keep', 'check', 'index'] },
  { kind: 'a step left out', of: ['begin', 'copy', 'check', 'index'] },
  { kind: 'a step too much', of: ['begin', 'copy', 'check', 'keep', 'copy', 'index'] },
  { kind: 'the end is missing', of: ['begin', 'copy', 'check'] },
]

export type SyntheticLogOptions = { seed: number; files: number; nodes: number; withAnomalies: boolean }

const begin = Date.parse('2026-03-01T00:00:00Z')
const millisecondsAFile = 2_000
const judgedShare = 0.3
/** The average number of judged files per anomaly. */
const filesPerAnomaly = 200

/** Interleaves the lifecycles of files on several machines. With anomalies, some files have one, one machine falls silent and one has a burst. */
export const makeLog = ({ seed, files, nodes, withAnomalies }: SyntheticLogOptions): SyntheticLog => {
  const chance = createChance(seed)
  const nameOf = (node: number) => `rack${node}`
  const silent = withAnomalies ? nameOf(1) : null
  const loud = withAnomalies ? nameOf(2) : null
  const timed: { time: number; line: string }[] = []
  const anomalies: Anomaly[] = []
  const fileName = (number: number) => `file_${seed * 100_000_000 + number}`
  const add = (time: number, node: string, step: StepName, file: string) =>
    timed.push({ time, line: `${new Date(time).toISOString()} ${node} ${steps[step]} ${file}` })
  for (let file = 0; file < files; file++) {
    const isJudged = file > files * judgedShare + 1
    const anomalous =
      withAnomalies && isJudged && chance.isOneIn(filesPerAnomaly)
        ? anomalousSequences[chance.below(anomalousSequences.length)]
        : undefined
    const sequence = anomalous?.of ?? normalSequences[chance.below(normalSequences.length)] ?? []
    let node = nameOf(chance.below(nodes))
    if (node === silent && file > files * 0.8) node = nameOf(0)
    let time = begin + file * millisecondsAFile
    const name = fileName(file)
    for (const step of sequence) {
      time += 1 + chance.below(9_000)
      add(time, node, step, name)
    }
    if (anomalous) anomalies.push({ kind: anomalous.kind, file: name })
    if (loud !== null && file >= files * 0.7 && file < files * 0.7 + files / 40)
      for (let more = 0; more < 6; more++) {
        time += 1
        add(time, loud, 'index', fileName(files + file * 10 + more))
      }
  }
  return {
    lines: timed.toSorted((one, other) => one.time - other.time).map(({ line }) => line),
    anomalies,
    silent,
    loud,
  }
}
