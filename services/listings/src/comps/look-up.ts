import { randomUUID } from 'node:crypto'
import type { ServiceError } from '@trellis/kit/errors'
import type { Call } from '@trellis/kit/rpc'
import { Adapter, type GetCompsResponse } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { chooseAdapter } from '../choose-adapter.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Sale } from '../records.ts'
import { marketplaceFor } from '../runs/marketplace.ts'
import { startRun } from '../runs/marketplace-run.ts'
import { errorOfPart } from '../worker/failure.ts'
import { summariseSales } from './comps.ts'
import { compMessage } from './message.ts'
import { findComp, saveComp } from './store.ts'

/** Timeout for looking up completed sales, in seconds. */
const waitSeconds = 60

/** The market price of a query: the stored one, or one looked up now. */
export const lookUpComp = async (dependencies: Dependencies, query: string, call: Call): Promise<GetCompsResponse> => {
  const { db, config, now } = dependencies
  const stored = await findComp(db, config.platform, query, now())
  if (stored !== undefined) return compMessage(query, stored)
  const marketplace = await marketplaceFor(chooseAdapter(Adapter.AUTO, config), dependencies)
  const outputs = await startRun(
    { ...dependencies, workloads: dependencies.localWorkloads },
    {
      runId: randomUUID(),
      input: { kind: 'search', marketplace, requests: [], salesQuery: query },
      user: call.caller.userId,
      deadlineSeconds: waitSeconds,
      signal: AbortSignal.any([call.signal, dependencies.signal]),
    },
  )
  let sales: readonly Sale[] = []
  let failed: ServiceError | undefined
  for await (const output of outputs) {
    if (output.kind !== 'sales') continue
    failed = errorOfPart(output)
    sales = output.sales
  }
  if (failed !== undefined) throw failed
  const at = now()
  return compMessage(query, await saveComp(db, config.platform, query, summariseSales(sales, query, at), at))
}
