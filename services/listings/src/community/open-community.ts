import { type Implementation, implementation } from '@trellis/kit/rpc'
import { CommunityServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/community.ts'
import type { Dependencies } from '../dependencies.ts'
import { openOutbox } from './outbox.ts'
import { communityRpc } from './rpc.ts'

/** Stores users' judgements, and publishes signals until the signal of the dependencies aborts. */
export const openCommunity = (dependencies: Dependencies, opened: AsyncDisposableStack): Implementation => {
  if (dependencies.config.communityDatabase !== undefined) opened.use(openOutbox(dependencies))
  return implementation(CommunityServiceDefinition, communityRpc(dependencies))
}
