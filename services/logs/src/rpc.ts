import type { Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { orchardRpc } from './branches/orchard-rpc.ts'
import type { Dependencies } from './dependencies.ts'
import { diagnoseRpc } from './diagnose/rpc.ts'
import { ingestRpc } from './ingest/rpc.ts'
import { searchRpc } from './search/rpc.ts'
import { sessionRpc } from './session/rpc.ts'
import { sourcesRpc } from './sources/rpc.ts'
import { tailRpc } from './tail/rpc.ts'

/** The handlers of the service of the first proto file; later features have services and handlers of their own. */
export const logsRpc = (dependencies: Dependencies): Handlers<typeof LogsServiceDefinition> => ({
  ...ingestRpc(dependencies),
  ...searchRpc(dependencies),
  ...tailRpc(dependencies, dependencies.tail),
  ...diagnoseRpc(dependencies),
  ...sourcesRpc(dependencies),
  ...orchardRpc(dependencies.directory),
  ...sessionRpc(dependencies),
  getHealth: async () => ({ status: 'ok' }),
})
