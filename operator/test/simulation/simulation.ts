import { createLog, createMetrics, type Log } from '@trellis/kit/telemetry'
import {
  type Client,
  type Clock,
  createRuntimeMetrics,
  type Random,
  type Resource,
  type RuntimeMetrics,
} from '../../src/runtime/mod.ts'
import { calm, type Faults } from './faults.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'
import { createSimulatedClient, type Network } from './simulated-client.ts'
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.ts'
import { type Admit, createStorage, type Storage } from './storage.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

/** The dependencies of a simulated process. */
export type Surroundings = {
  client: Client
  clock: Clock
  random: Random
  log: Log
  metrics: RuntimeMetrics
}

export type SimulationOptions = {
  /** Determines everything that happens. */
  seed: number
  faults?: Faults
  /** Kinds whose deletion takes up to this many milliseconds, like that of pods. */
  terminating?: { resource: Resource; milliseconds: number }[]
  admit?: Admit
}

/** A cluster in memory with its own clock, whose network and processes fail as determined by a seed. */
export type Simulation = {
  clock: VirtualClock
  random: SeededRandom
  /** The authoritative objects; a simulated user writes to them directly. */
  storage: Storage
  /** Starts a process; `start` starts its work and returns. */
  spawn: (name: string, start: (surroundings: Surroundings, process: SimulatedProcess) => void) => SimulatedProcess
  /** Kills all processes, so that nothing retains the simulation. */
  end: () => void
  /** Counts a step of a process that is not a request to the API server. */
  step: (process: SimulatedProcess) => void
  /** Replaces the faults. */
  weather: (faults: Faults) => void
  /** Cuts a process off from the API server for a time: its requests are lost, its watches deliver nothing, then break. */
  isolate: (process: SimulatedProcess, milliseconds: number) => void
  /** Number of steps taken by the processes; a process can be killed at each. */
  steps: () => number
  /** Registers a callback that runs once, at that step. */
  atStep: (step: number, something: (process: SimulatedProcess) => void) => void
}

/** A log at debug level that formats all lines and discards them. */
const log = createLog({ level: 'debug', format: 'json', destination: { write: () => undefined } })

export const createSimulation = ({ seed, faults = calm, terminating = [], admit }: SimulationOptions): Simulation => {
  const random = seededRandom(seed)
  const clock = createVirtualClock()
  const storage = createStorage(
    clock,
    ({ plural }) => {
      const kind = terminating.find(({ resource }) => resource.plural === plural)
      return kind && (() => random.between(kind.milliseconds / 10, kind.milliseconds))
    },
    random,
    admit,
  )
  let current = faults
  let steps = 0
  const processes: SimulatedProcess[] = []
  const planned = new Map<number, (process: SimulatedProcess) => void>()
  /** Callbacks to run when an isolated process is connected again. */
  const isolated = new Map<SimulatedProcess, (() => void)[]>()
  const network: Network = {
    clock,
    random,
    storage,
    faults: () => current,
    isIsolated: (process) => isolated.has(process),
    whenReached: (process, something) => void isolated.get(process)?.push(something),
    onStep: (process) => {
      steps += 1
      planned.get(steps)?.(process)
    },
  }
  return {
    clock,
    random,
    storage,
    spawn: (name, start) => {
      const process = createSimulatedProcess(name, clock)
      processes.push(process)
      const metrics = createRuntimeMetrics(createMetrics({ processMetrics: false }))
      const client = createSimulatedClient(network, process)
      start({ client, clock: process.clock, random, log, metrics }, process)
      return process
    },
    end: () => {
      for (const process of processes) process.kill()
    },
    step: network.onStep,
    weather: (next) => {
      current = next
    },
    isolate: (process, milliseconds) => {
      if (isolated.has(process)) return
      isolated.set(process, [])
      clock.after(milliseconds, () => {
        const waiting = isolated.get(process) ?? []
        isolated.delete(process)
        for (const something of waiting) something()
      })
    },
    steps: () => steps,
    atStep: (step, something) => void planned.set(step, something),
  }
}
