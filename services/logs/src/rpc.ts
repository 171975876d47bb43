import type { Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { orchardRpc } from './branches/orchard-rpc.ts'
import { diagnoseRpc } from './diagnose/rpc.ts'
import { ingestRpc } from './ingest/rpc.ts'
import { searchRpc } from './search/rpc.ts'
import { sessionRpc } from './session/rpc.ts'
import { sourcesRpc } from './sources/rpc.ts'
import { tailRpc } from './tail/rpc.ts'
import type { World } from './world.ts'

/** What stands in the service's first proto file; a feature that came after has a service, and handlers, of its own. */
export const logsRpc = (world: World): Handlers<typeof LogsServiceDefinition> => ({
  ...ingestRpc(world),
  ...searchRpc(world),
  ...tailRpc(world, world.tail),
  ...diagnoseRpc(world),
  ...sourcesRpc(world),
  ...orchardRpc(world.directory),
  ...sessionRpc(world),
  getHealth: async () => ({ status: 'ok' }),
})
