import { serviceError } from '@trellis/kit/errors'
import type { RpcClient } from '@trellis/kit/rpc'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { SimulatedProcess, Simulation } from '../mod.ts'

export type Workloads = RpcClient<typeof WorkloadsServiceDefinition>

/** A replica that takes calls. */
export type Replica = { process: SimulatedProcess; workloads: Workloads }

/** Faults of calls. Probabilities are per call. */
export type CallFaults = {
  /** Milliseconds that a call or answer takes: minimum and maximum. */
  delay: readonly [number, number]
  lost: number
  answerLost: number
}

export const calmCalls: CallFaults = { delay: [1, 5], lost: 0, answerLost: 0 }
export const stormyCalls: CallFaults = { delay: [1, 300], lost: 0.05, answerLost: 0.05 }

/** Milliseconds for which a caller waits for an answer. */
const patience = 10_000

export type Calls = {
  /** A client of the operator for a process. Each call goes to a random serving replica. */
  connect: (process: SimulatedProcess) => Pick<Workloads, 'run' | 'cancel'>
  weather: (faults: CallFaults) => void
}

/** Carries the calls of services to the serving replicas. */
export const createCalls = ({ clock, random, step }: Simulation, replicas: () => readonly Replica[]): Calls => {
  let faults = calmCalls

  const call = <T>(from: SimulatedProcess, invoke: (workloads: Workloads, signal: AbortSignal) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      step(from)
      const serving = replicas().filter(({ process }) => !process.isDead())
      const to = serving[Math.floor(random() * serving.length)]
      const left = new AbortController()
      const deliver = (answer: () => void) => from.deliver(answer)
      const cancelLimit = from.clock.after(patience, () => {
        reject(serviceError('unavailable', 'No answer arrived in time.'))
        to?.process.deliver(() => left.abort(new Error('The caller has left.')))
      })
      const answer = (settle: () => void) => {
        if (random.chance(faults.answerLost)) return
        clock.after(random.between(...faults.delay), () =>
          deliver(() => {
            cancelLimit()
            settle()
          }),
        )
      }
      if (!to) return answer(() => reject(serviceError('unavailable', 'No replica is serving.')))
      if (random.chance(faults.lost)) return
      clock.after(random.between(...faults.delay), () =>
        to.process.deliver(() => {
          step(to.process)
          if (to.process.isDead()) return
          invoke(to.workloads, left.signal).then(
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
