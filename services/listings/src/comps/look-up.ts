import { randomUUID } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
import type { Call } from '@trellis/kit/rpc'
import { Adapter, type GetCompsResponse } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { Dependencies } from '../dependencies.ts'
import { chooseAdapter } from '../runs/choose-adapter.ts'
import { marketplaceFor } from '../runs/marketplace.ts'
import { startRun } from '../runs/marketplace-run.ts'
import { expiresAt, type MarketComp, summariseSales } from './comps.ts'
import { findComp, saveComp } from './store.ts'

/** Timeout for looking up completed sales, in seconds. */
const waitSeconds = 60

const response = (query: string, comp: MarketComp, until: string | null): GetCompsResponse => ({
  query,
  medianPrice: comp.medianPrice,
  currency: comp.currency,
  sampleCount: comp.sampleCount,
  quartiles: comp.quartiles === null ? null : JSON.stringify(comp.quartiles),
  expiresAt: until,
})

/** The market price of a query: the stored one, or one looked up now. */
export const lookUpComp = async (dependencies: Dependencies, query: string, call: Call): Promise<GetCompsResponse> => {
  const { db, config, now } = dependencies
  const stored = await findComp(db, config.platform, query, now())
  if (stored !== undefined) return response(query, stored, stored.expiresAt)
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
  let comp = summariseSales([])
  for await (const output of outputs) {
    if (output.kind !== 'sales') continue
    if (output.failure !== null) throw serviceError('upstream_failed', output.failure)
    comp = summariseSales(output.sales)
  }
  const at = now()
  await saveComp(db, config.platform, query, comp, at)
  return response(query, comp, comp.medianPrice === null ? null : expiresAt(at).toISOString())
}
