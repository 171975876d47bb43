import { connectGrpc, type GrpcConnection, type RpcClient, type RpcSecurity } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import { BranchServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { Branch, BranchesServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { within } from './within.ts'

/** An active branch; without a client it is not ready. Connecting to it early would delay it, because failures are cached. */
export type ActiveBranch = { slug: string; client: RpcClient<typeof BranchServiceDefinition> | undefined }

/** The known branches and connections to them. */
export type BranchDirectory = Disposable & {
  /** The service that runs the branches. */
  service: RpcClient<typeof BranchesServiceDefinition>
  /** The current list of branches; the last known list if the service does not respond in time. */
  known: () => Promise<readonly Branch[]>
  active: () => Promise<readonly ActiveBranch[]>
  /** Whether the last request for the list succeeded. */
  isCurrent: () => boolean
}

export type BranchDirectoryOptions = {
  service: RpcClient<typeof BranchesServiceDefinition>
  security: RpcSecurity
  /** How long a caller waits for the list of branches. */
  waitMilliseconds?: number
  /** The pause after a failed request, during which the last known list is used. */
  restMilliseconds?: number
  log: Log
}

/** Exceeds the time limit of a search over all stores; it bounds the work for a caller that has disconnected. */
const deadlineMilliseconds = 15 * 60_000

/** Each search requests the list, and concurrent requests are shared, so a new branch is searched at once, through any replica. */
export const createBranchDirectory = (options: BranchDirectoryOptions): BranchDirectory => {
  const { service, security, waitMilliseconds = 1_000, restMilliseconds = 2_000, log } = options
  const connections = new Map<string, GrpcConnection<typeof BranchServiceDefinition>>()
  let last: readonly Branch[] = []
  let requesting: Promise<readonly Branch[]> | undefined
  let next: Promise<readonly Branch[]> | undefined
  let restsUntil = 0
  let isCurrent = false

  const update = (branches: readonly Branch[]) => {
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
  const request = async (): Promise<readonly Branch[]> => {
    try {
      const { branches } = await within(waitMilliseconds, undefined, (signal) =>
        service.listBranches({}, { signal, isSafe: true }),
      )
      return update(branches)
    } catch (error) {
      restsUntil = performance.now() + restMilliseconds
      isCurrent = false
      log.warn(
        { err: error, known: last.length },
        'the list of branches cannot be requested; the last known list is used',
      )
      return last
    }
  }
  /** A request in progress may predate a change of the caller, so callers that arrive meanwhile share the next request. */
  const known = (): Promise<readonly Branch[]> => {
    if (performance.now() < restsUntil) return Promise.resolve(last)
    if (requesting === undefined) {
      const mine = request().finally(() => {
        if (requesting === mine) requesting = undefined
      })
      requesting = mine
      return mine
    }
    next ??= requesting.then(() => {
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
