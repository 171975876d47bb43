import { pods } from '../../../src/workers/mod.ts'
import { calm, createSimulation, type Faults, type Simulation } from '../mod.ts'
import { createCluster } from './cluster.ts'
import { fillInDefaults } from './defaults.ts'
import { watchInvariants } from './invariants.ts'
import { isAtRest, judge } from './judge.ts'
import { type Mishap, planMishaps } from './mishaps.ts'
import { createUser } from './user.ts'

/** One simulated life of a cluster. The seed determines everything in it. */
export type Schedule = {
  seed: number
  /** Faults of requests while runs arrive; none by default. */
  faults?: Faults
  /** Whether the bus, the calls, the nodes and the users misbehave too. */
  isStormy?: boolean
  /** The step of the first mishap of the operator, and the maximum number of steps to the next. */
  crashAt?: number
  crashEvery?: number
  /** The possible mishaps; `kill` by default. */
  mishaps?: readonly Mishap[]
  /** Replicas of the operator, of which one leads; 1 by default. */
  operators?: number
  /** Idle workers in each pool. */
  replicas?: number
  /** Number of runs, of alternating kinds. Each is requested by an object or by a service with equal probability. */
  runs?: number
  /** Whether pods are claimed without the resourceVersion at which they were read. */
  isCareless?: boolean
  /** Called with the simulation before it starts. */
  onSimulation?: (simulation: Simulation) => void
}

export type Outcome = {
  simulation: Simulation
  /** Violations; empty on success. */
  wrong: string[]
  /** Number of runs by final phase, and number of runs that claimed an idle worker. */
  phases: Record<string, number>
  claims: number
  operators: number
}

/** Milliseconds of calm within which everything must converge: deadlines, TTLs and the longest backoffs. */
const restWithin = 1_500_000

/** Simulates a cluster: runs come and go while faults occur, then the faults stop and the cluster must converge. */
export const live = async (schedule: Schedule): Promise<Outcome> => {
  const { seed, faults = calm, isStormy = false, crashAt, crashEvery, mishaps = ['kill'], runs = 8 } = schedule
  const terminating = [{ resource: pods, milliseconds: 10_000 }]
  const simulation = createSimulation({ seed, faults, terminating, admit: fillInDefaults })
  const { clock, random } = simulation
  schedule.onSimulation?.(simulation)
  const { operators, log, services, weather, gpus } = createCluster(simulation, schedule)
  const user = createUser(simulation, services)
  const invariants = watchInvariants(simulation, user.mustStayAway)
  let isOver = false
  if (crashAt !== undefined)
    planMishaps(simulation, operators, { at: crashAt, every: crashEvery, kinds: mishaps, isOver: () => isOver })

  for (let replica = 0; replica < (schedule.operators ?? 1); replica += 1) operators.start()
  user.makePools(schedule.replicas ?? 2)
  if (random.chance(0.5)) gpus.join()
  await clock.advance(random.between(0, 10_000))
  for (let count = 0; count < runs; count += 1) {
    const workload = count % 2 === 0 ? 'search' : 'generation'
    if (random.chance(0.5)) user.apply(workload)
    else user.request(workload)
    await clock.advance(random.chance(0.5) ? random.between(0, 300) : random.between(300, 15_000))
    if (!isStormy) continue
    user.interfere()
    if (random.chance(0.2)) [gpus.join, gpus.leave][Math.floor(random() * 2)]?.()
  }
  await clock.advance(20_000)

  isOver = true
  simulation.weather(calm)
  weather(false)
  // Some runs wait for GPUs without a deadline.
  gpus.join()
  const atRest = await clock.until(() => isAtRest(simulation, user), restWithin)
  const count = operators.count()
  const { wrong, ...rest } = judge(simulation, { user, invariants, atRest, operators: count })
  const excess = faults.late > 0 ? [] : invariants.excess
  wrong.unshift(...invariants.broken, ...excess, ...operators.faults, ...log.doubled)
  simulation.end()
  return { simulation, wrong, ...rest, operators: count }
}
