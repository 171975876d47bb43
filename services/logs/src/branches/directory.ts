import { connectGrpc, type GrpcConnection, type RpcClient, type RpcSecurity } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { BranchServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { Branch, BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { within } from './within.ts'

/** A branch that is to be searched; without a client it is not ready. Connecting to it early would delay it: failures are cached. */
export type ActiveBranch = { slug: string; client: RpcClient<typeof BranchServiceDefinition> | undefined }

/** Which branches there are, and the way to each. */
export type BranchDirectory = Disposable & {
  /** Whoever runs them. */
  service: RpcClient<typeof BranchesServiceDefinition>
  /** As whoever runs them says now; as they last said where they do not answer soon. */
  known: () => Promise<readonly Branch[]>
  active: () => Promise<readonly ActiveBranch[]>
  /** Whether what is known was said when it was last asked for, and not before. */
  isCurrent: () => boolean
}

export type BranchDirectoryOptions = {
  service: RpcClient<typeof BranchesServiceDefinition>
  security: RpcSecurity
  /** How long somebody waits to hear which branches there are. */
  waitMilliseconds?: number
  /** How long nobody asks again after that was in vain. */
  restMilliseconds?: number
  log: Log
}

/** A search that goes into every store is cut off before this; it bounds what a caller that has gone leaves behind. */
const deadlineMilliseconds = 15 * 60_000

/** Asked anew by each search, many at once together: a branch that was made is searched at once, through whichever replica. */
export const createBranchDirectory = (options: BranchDirectoryOptions): BranchDirectory => {
  const { service, security, waitMilliseconds = 1_000, restMilliseconds = 2_000, log } = options
  const connections = new Map<string, GrpcConnection<typeof BranchServiceDefinition>>()
  let last: readonly Branch[] = []
  let asking: Promise<readonly Branch[]> | undefined
  let next: Promise<readonly Branch[]> | undefined
  let restsUntil = 0
  let isCurrent = false

  const keep = (branches: readonly Branch[]) => {
    last = branches
    isCurrent = true
    const addresses = new Set(
      branches.filter(({ active, ready }) => active && ready).map(({ rpcAddress }) => rpcAddress),
    )
    for (const [address, connection] of connections) {
      if (addresses.has(address)) continue
      connection[Symbol.dispose]()
      connections.delete(address)
    }
    return branches
  }
  const ask = async (): Promise<readonly Branch[]> => {
    try {
      const { branches } = await within(waitMilliseconds, undefined, (signal) =>
        service.listBranches({}, { signal, isSafe: true }),
      )
      return keep(branches)
    } catch (error) {
      restsUntil = performance.now() + restMilliseconds
      isCurrent = false
      log.warn({ err: error, known: last.length }, 'which branches there are cannot be asked; the last answer stands')
      return last
    }
  }
  /** What is under way may be older than what its asker has just changed, so who comes meanwhile waits for the next answer. */
  const known = (): Promise<readonly Branch[]> => {
    if (performance.now() < restsUntil) return Promise.resolve(last)
    if (asking === undefined) {
      const mine = ask().finally(() => {
        if (asking === mine) asking = undefined
      })
      asking = mine
      return mine
    }
    next ??= asking.then(() => {
      next = undefined
      return known()
    })
    return next
  }
  const connectionTo = (address: string) => {
    const open = connections.get(address)
    if (open) return open
    const made = connectGrpc(BranchServiceDefinition, address, { security, deadlineMilliseconds })
    connections.set(address, made)
    return made
  }
  return {
    service,
    known,
    isCurrent: () => isCurrent,
    active: async () =>
      (await known())
        .filter(({ active }) => active)
        .map(({ slug, ready, rpcAddress }) => ({
          slug,
          client: ready && rpcAddress !== '' ? connectionTo(rpcAddress).client : undefined,
        })),
    [Symbol.dispose]: () => {
      for (const connection of connections.values()) connection[Symbol.dispose]()
      connections.clear()
    },
  }
}
