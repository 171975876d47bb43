import { counted } from '../counted.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { burstsOf, certaintyOf, scoreOfSilence, silenceOf } from './count-changes.ts'
import { nodeOf } from './node-of.ts'
import { surpriseOf } from './rate-of-new.ts'
import type { PlaceAnomaly, Stretch } from './stretch.ts'

/** Nodes that are counted separately; beyond that, new nodes are ignored. */
const maxNodes = 2_000
const maxEntries = 100
/** The maximum score of a burst of one node, whatever its entries are. */
const worthOfNode = 0.6
/** Minimum ratio between a node's count and its earlier rate, in time as well as in entries. */
const minTimes = 4
const minExpected = 10

type Node = { name: string; counts: number[]; last: StoredEntry | undefined }

const nodesOf = (stretches: readonly Stretch[]): Node[] => {
  const nodes = new Map<string, Node>()
  for (const [index, { entries }] of stretches.entries())
    for (const entry of entries) {
      const name = nodeOf(entry)
      if (name === null) continue
      const node = nodes.get(name) ?? { name, counts: stretches.map(() => 0), last: undefined }
      if (!nodes.has(name) && nodes.size >= maxNodes) continue
      nodes.set(name, node)
      node.counts[index] = (node.counts[index] ?? 0) + 1
      node.last = entry
    }
  return [...nodes.values()]
}

const durationOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { since, until }) => sum + until - since, 0)
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Where nodes come and go, a burst of a node with few entries is as surprising as the arrival of a new node. */
const surpriseOfFew = (nodes: readonly Node[]): number => {
  const stretchesOf = nodes.map(({ counts }) => counts.filter((count) => count > 0).length)
  return surpriseOf({ count: sum(stretchesOf), once: stretchesOf.filter((count) => count === 1).length })
}

/**
 * Nodes of one source with far more entries than before, or with none any more while the others continue. All stretches have the same number of
 * entries, so a count is a share. A change is only reported if the rate over time changed, too: otherwise a node would seem to fall silent when another
 * one has a burst, and to have a burst when others fall silent.
 */
export const findChangedNodes = (stretches: readonly Stretch[], judgedFrom: number): PlaceAnomaly[] => {
  const nodes = nodesOf(stretches)
  if (nodes.length < 2) return []
  const ofFew = surpriseOfFew(nodes)
  const burstOf = ({ name, counts }: Node): PlaceAnomaly[] => {
    const [burst] = burstsOf(counts, judgedFrom).filter(({ bucket, count }) => {
      const before = durationOf(stretches.slice(0, bucket))
      const now = durationOf(stretches.slice(bucket, bucket + 1))
      return count >= (minTimes * sum(counts.slice(0, bucket)) * now) / before
    })
    const stretch = burst && stretches[burst.bucket]
    if (!burst || !stretch) return []
    const entries = stretch.entries.filter((entry) => nodeOf(entry) === name).slice(0, maxEntries)
    const { length } = stretch.entries
    return [
      {
        label: 'node_burst',
        subject: name,
        score: worthOfNode * certaintyOf(burst.deviation) * (burst.mean < 1 ? ofFew : 1),
        severity: null,
        reason: `${burst.count} of ${counted(length, 'entry', 'entries')} were from ${name}, where ${burst.mean.toFixed(burst.mean < 10 ? 1 : 0)} were usual.`,
        entries,
        count: burst.count,
      },
    ]
  }
  const silenceIn = ({ name, counts, last }: Node): PlaceAnomaly[] => {
    const first = counts.findIndex((count) => count > 0)
    const lastSeen = counts.findLastIndex((count) => count > 0)
    const silence = silenceOf(counts, { first, last: lastSeen, end: counts.length, judgedFrom })
    if (!silence || !last) return []
    const silent = stretches.slice(lastSeen + 1)
    const inThatTime =
      (silence.count / Math.max(1, durationOf(stretches.slice(first, lastSeen + 1)))) * durationOf(silent)
    const expected = Math.min(silence.expected, inThatTime)
    if (expected < minExpected) return []
    return [
      {
        label: 'node_silence',
        subject: name,
        score: scoreOfSilence(expected),
        severity: 'WARN',
        reason: `Nothing from ${name} among the last ${counted(sum(silent.map(({ entries }) => entries.length)), 'entry', 'entries')}, where about ${Math.round(expected)} were to be expected.`,
        entries: [last],
        count: silence.count,
      },
    ]
  }
  return nodes.flatMap((node) => [...burstOf(node), ...silenceIn(node)])
}
