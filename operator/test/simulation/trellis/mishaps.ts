import type { SimulatedProcess, Simulation } from '../mod.ts'
import type { Operators } from './simulated-operator.ts'

/** A mishap of an operator replica: killed, stopped for a while, or cut off from the API server for a while. */
export type Mishap = 'kill' | 'pause' | 'isolate'

/** Milliseconds that a replica is stopped or cut off, from less than the lease to much more. */
const away = [1_000, 60_000] as const

/** Schedules a mishap of a replica at step `at`, and another after at most `every` more steps, until `isOver`. */
export const planMishaps = (
  simulation: Simulation,
  operators: Operators,
  {
    at,
    every,
    kinds,
    isOver,
  }: { at: number; every?: number | undefined; kinds: readonly Mishap[]; isOver: () => boolean },
): void => {
  const { clock, random } = simulation
  const happen: Record<Mishap, (process: SimulatedProcess) => void> = {
    kill: (process) => {
      process.kill()
      clock.after(random.between(0, 3_000), operators.start)
    },
    pause: (process) => {
      process.pause()
      clock.after(random.between(...away), process.resume)
    },
    isolate: (process) => simulation.isolate(process, random.between(...away)),
  }
  const plan = (step: number) =>
    simulation.atStep(step, (process) => {
      if (isOver()) return
      if (!process.name.startsWith('operator')) return plan(step + 1)
      const kind = kinds.length === 1 ? kinds[0] : kinds[Math.floor(random() * kinds.length)]
      happen[kind ?? 'kill'](process)
      if (every) plan(simulation.steps() + Math.ceil(random() * every))
    })
  plan(at)
}
