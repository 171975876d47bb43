import { pods } from '../../../src/workers/mod.ts'
import { calm, createSimulation, type Faults, type Simulation } from '../mod.ts'
import { createCluster } from './cluster.ts'
import { fillInDefaults } from './defaults.ts'
import { watchInvariants } from './invariants.ts'
import { isAtRest, judge } from './judge.ts'
import { type Mishap, planMishaps } from './mishaps.ts'
import { createUser } from './user.ts'

/** One history of a cluster: everything in it follows from the seed. */
export type Schedule = {
  seed: number
  /** What goes wrong with requests while runs come; nothing unless told. */
  faults?: Faults
  /** Whether the bus, the calls, the nodes and the users misbehave as well. */
  isStormy?: boolean
  /** The step at which something happens to the operator, and after how many steps at most it does again. */
  crashAt?: number
  crashEvery?: number
  /** What may happen; it is killed unless told. */
  mishaps?: readonly Mishap[]
  /** Replicas of the operator, of which one leads; one unless told. */
  operators?: number
  /** Workers that wait in each pool. */
  replicas?: number
  /** Runs that come; of each kind half by an object, half by a service, unless told. */
  runs?: number
  /** Whether pods are claimed without naming the version that they were read at. */
  isCareless?: boolean
  /** Called with the simulation before it starts. */
  onSimulation?: (simulation: Simulation) => void
}

export type Outcome = {
  simulation: Simulation
  /** What did not hold; nothing where all is well. */
  wrong: string[]
  /** How many runs went which way, and how many had a waiting worker. */
  phases: Record<string, number>
  claims: number
  operators: number
}

/** Milliseconds of calm within which everything must have come to rest: deadlines, TTLs and the longest waits after failures. */
const restWithin = 1_500_000

/** Lets a cluster live: runs come and go while things go wrong, then the weather calms and all must come to rest. */
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
  // Some runs wait for GPUs however long it takes.
  gpus.join()
  const atRest = await clock.until(() => isAtRest(simulation, user), restWithin)
  const count = operators.count()
  const { wrong, ...rest } = judge(simulation, { user, invariants, atRest, operators: count })
  const excess = faults.late > 0 ? [] : invariants.excess
  wrong.unshift(...invariants.broken, ...excess, ...operators.faults, ...log.doubled)
  simulation.end()
  return { simulation, wrong, ...rest, operators: count }
}
