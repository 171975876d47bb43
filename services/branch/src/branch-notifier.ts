import { connectNatsWorkerBus, type NatsBusOptions, type WorkerBus } from '@trellis/kit/bus'
import type { Log } from '@trellis/kit/telemetry'
import { branchEvents } from '@trellis/kit/workloads'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { FromBranch } from './messages.ts'

/** Sends a message to the parent process, if there is a channel to it. */
export const notifyParent = (message: FromBranch): void => {
  if (process.connected) process.send?.(message)
}

export type BranchNotifier = AsyncDisposable & { notify: (event: BranchEvent) => Promise<void> }

/**
 * Publishes entry counts over the bus, if one is configured, and to the parent process. It connects to the bus with the first event, and
 * retries with the next one if that failed: the branch accepts entries without the bus.
 */
export const createBranchNotifier = (
  bus: Omit<NatsBusOptions, 'name' | 'log'> | undefined,
  slug: string,
  log: Log,
): BranchNotifier => {
  let connected: AsyncDisposable | undefined
  let connecting: Promise<WorkerBus> | undefined
  const connect = (options: Omit<NatsBusOptions, 'name' | 'log'>) => {
    connecting ??= connectNatsWorkerBus({ ...options, name: `trellis-branch-${slug}`, log }).then(
      (bus) => {
        connected = bus
        return bus
      },
      (error: unknown) => {
        connecting = undefined
        throw error
      },
    )
    return connecting
  }
  return {
    notify: async (event) => {
      notifyParent({ kind: 'notice', event })
      if (bus) await (await connect(bus)).enqueue(branchEvents, event)
    },
    [Symbol.asyncDispose]: async () => {
      await connected?.[Symbol.asyncDispose]()
    },
  }
}
