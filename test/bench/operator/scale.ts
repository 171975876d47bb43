import { applyDefinitions } from '../../cluster/support/installation.ts'
import type { OperatorProcess } from './operator-process.ts'
import { playWorkers } from './played-workers.ts'
import { addFinished, measureFailover, measureRestart } from './replacement.ts'
import { startScaleTestbed } from './scale-testbed.ts'
import { measureThroughput } from './throughput.ts'

const searchCount = Number(process.env.BENCH_SEARCHES ?? 2_000)
const objectCount = Number(process.env.BENCH_OBJECTS ?? 5_000)
/** High enough that no run waits for another to end. */
const maxRuns = searchCount + objectCount

const setting = [
  'The operator bundled as in its image and run as by the chart, in a process beside the cluster; the real API server, scheduler and',
  'garbage collector; NATS; pods on a kwok node, with simulated workers and service: half a second of work each.',
]

/** Measures Searches from creation to end: at a steady rate, then many at once. */
export const benchThroughput = async (): Promise<string[]> => {
  await applyDefinitions()
  await using testbed = await startScaleTestbed(maxRuns)
  const operator = await testbed.start()
  await operator.ready
  await using played = await playWorkers(testbed, () => operator)
  const calm = await measureThroughput(testbed, { operator, played, count: 400, perSecond: 20 })
  const flood = await measureThroughput(testbed, { operator, played, count: searchCount })
  return [...setting, ...calm, ...flood]
}

/** Measures starts over many Searches, and replacements of the leader. */
export const benchReplacement = async (): Promise<string[]> => {
  await applyDefinitions()
  await using testbed = await startScaleTestbed(maxRuns)
  let acting: OperatorProcess | undefined
  const onLeader = (leader: OperatorProcess) => {
    acting = leader
  }
  await using played = await playWorkers(testbed, () => acting ?? { address: '' })
  await addFinished(testbed, played, objectCount)
  const { lines, operator } = await measureRestart(testbed, played, onLeader)
  return [...setting, ...lines, ...(await measureFailover(testbed, { operator, played, rounds: 5, onLeader }))]
}
