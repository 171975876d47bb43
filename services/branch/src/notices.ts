import { connectNatsWorkerBus, type NatsBusOptions, type WorkerBus } from '@trellis/kit/bus'
import type { Log } from '@trellis/kit/telemetry'
import { branchEvents } from '@trellis/kit/workloads'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { FromBranch } from './messages.ts'

/** Tells whoever started this process. Nobody did where there is no channel. */
export const tellStarter = (message: FromBranch): void => {
  if (process.connected) process.send?.(message)
}

export type Notices = AsyncDisposable & { notify: (event: BranchEvent) => Promise<void> }

/**
 * Tells how many entries there are: over the bus where there is one, and to whoever started this process. The bus is joined with the first
 * notice, and again with the next where that failed: entries are taken without it.
 */
export const createRunEvents = (
  bus: Omit<NatsBusOptions, 'name' | 'log'> | undefined,
  slug: string,
  log: Log,
): Notices => {
  let connected: AsyncDisposable | undefined
  let joined: Promise<WorkerBus> | undefined
  const join = (options: Omit<NatsBusOptions, 'name' | 'log'>) => {
    joined ??= connectNatsWorkerBus({ ...options, name: `trellis-branch-${slug}`, log }).then(
      (bus) => {
        connected = bus
        return bus
      },
      (error: unknown) => {
        joined = undefined
        throw error
      },
    )
    return joined
  }
  return {
    notify: async (event) => {
      tellStarter({ kind: 'notice', event })
      if (bus) await (await join(bus)).enqueue(branchEvents, event)
    },
    [Symbol.asyncDispose]: async () => {
      await connected?.[Symbol.asyncDispose]()
    },
  }
}
