import { invalidField } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { CommunityServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/community.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireSession } from '../session/access.ts'
import { saveSignal } from './store.ts'

export const communityRpc = ({
  db,
  now,
}: Pick<Dependencies, 'db' | 'now'>): Handlers<typeof CommunityServiceDefinition> => ({
  sendCommunitySignal: async ({ sellerId, confirmed }, { caller }) => {
    const userId = requireSession(caller, 'judge scores')
    if (sellerId.trim() === '') throw invalidField(['body', 'seller_id'], 'must not be blank')
    await saveSignal(db, {
      user_id: userId,
      by_guest: caller.kind === 'guest' ? 1 : 0,
      seller_id: sellerId.trim(),
      confirmed: confirmed ? 1 : 0,
      recorded_at: now().toISOString(),
    })
    return {}
  },
})
