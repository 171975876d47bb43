import { serviceError } from '@trellis/kit/errors'
import type { RpcClient } from '@trellis/kit/rpc'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { SimulatedProcess, Simulation } from '../mod.ts'

export type Workloads = RpcClient<typeof WorkloadsServiceDefinition>

/** A replica that takes calls. */
export type Replica = { process: SimulatedProcess; workloads: Workloads }

/** What goes wrong with calls. Probabilities are for each. */
export type CallFaults = {
  /** Milliseconds that a call or answer is under way. */
  delay: readonly [number, number]
  lost: number
  answerLost: number
}

export const calmCalls: CallFaults = { delay: [1, 5], lost: 0, answerLost: 0 }
export const stormyCalls: CallFaults = { delay: [1, 300], lost: 0.05, answerLost: 0.05 }

/** Milliseconds that a caller waits for an answer. */
const patience = 10_000

export type Calls = {
  /** The operator as a process sees it: any replica that takes calls, at any call. */
  connect: (process: SimulatedProcess) => Pick<Workloads, 'run' | 'cancel'>
  weather: (faults: CallFaults) => void
}

/** Carries the calls of services to the replicas that there are. */
export const createCalls = ({ clock, random, step }: Simulation, replicas: () => readonly Replica[]): Calls => {
  let faults = calmCalls

  const call = <T>(from: SimulatedProcess, ask: (workloads: Workloads, signal: AbortSignal) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      step(from)
      const serving = replicas().filter(({ process }) => !process.isDead())
      const to = serving[Math.floor(random() * serving.length)]
      const left = new AbortController()
      const give = (answer: () => void) => from.deliver(answer)
      const cancelLimit = from.clock.after(patience, () => {
        reject(serviceError('unavailable', 'Nobody answered in time.'))
        to?.process.deliver(() => left.abort(new Error('The caller has left.')))
      })
      const answer = (settle: () => void) => {
        if (random.chance(faults.answerLost)) return
        clock.after(random.between(...faults.delay), () =>
          give(() => {
            cancelLimit()
            settle()
          }),
        )
      }
      if (!to) return answer(() => reject(serviceError('unavailable', 'Nobody is there.')))
      if (random.chance(faults.lost)) return
      clock.after(random.between(...faults.delay), () =>
        to.process.deliver(() => {
          step(to.process)
          if (to.process.isDead()) return
          ask(to.workloads, left.signal).then(
            (value) => answer(() => resolve(value)),
            (error: unknown) => answer(() => reject(error)),
          )
        }),
      )
    })

  return {
    connect: (process) => ({
      run: (request) => call(process, (workloads, signal) => workloads.run(request, { signal })),
      cancel: (request) => call(process, (workloads, signal) => workloads.cancel(request, { signal })),
    }),
    weather: (next) => {
      faults = next
    },
  }
}
