import type { Bus } from '@trellis/kit/bus'
import { connectGrpc, type RpcSecurity } from '@trellis/kit/rpc'
import { searchPlanRequests } from '@trellis/kit/workloads'
import { RunRequest, WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

export type PlayedService = {
  bus: Bus
  /** The current address of the operator. */
  operator: () => string
  security?: RpcSecurity
  /** The input of every run. */
  input: Uint8Array
  onPlanned?: (runId: string) => void
}

/** Plays the service that answers plan requests: each is answered at once, until the signal is aborted. */
export const planRequests = async (
  { bus, operator, security, input, onPlanned }: PlayedService,
  signal: AbortSignal,
): Promise<void> => {
  const connect = (address: string) => connectGrpc(WorkloadsServiceDefinition, address, security ? { security } : {})
  const connections = new Map<string, ReturnType<typeof connect>>()
  const connectionTo = (address: string) => {
    const connection = connections.get(address) ?? connect(address)
    connections.set(address, connection)
    return connection
  }
  const plan = async (runId: string) => {
    const request = { runId, workload: 'WORKLOAD_SEARCH', input, search: { query: 'thinkpad' } } as const
    await connectionTo(operator()).client.run(RunRequest.fromPartial(request))
    onPlanned?.(runId)
  }
  try {
    await bus.work(searchPlanRequests, ({ value: { runId } }) => plan(runId), { concurrency: 64, signal })
  } finally {
    for (const connection of connections.values()) connection[Symbol.dispose]()
  }
}
