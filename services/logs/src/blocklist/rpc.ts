import { invalidField } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { BlocklistServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/blocklist.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Blocklist } from './blocklist.ts'
import type { Action } from './candidates.ts'
import { type Status, statuses } from './store.ts'

const maxListed = 500

const statusOf = (text: string): Status | undefined => {
  if (text === '') return undefined
  const status = statuses.find((known) => known === text)
  if (!status) throw invalidField(['query', 'status'], `status must be one of ${statuses.join(', ')}.`)
  return status
}

/** The action for each status that a request may set. */
const decisions: Record<string, Exclude<Action, 'push' | 'unblock'>> = {
  candidate: 'candidate',
  approved: 'approve',
  ignored: 'ignore',
}

export const blocklistRpc = (blocklist: Blocklist): Handlers<typeof BlocklistServiceDefinition> => ({
  listBlocklistCandidates: async ({ status, limit }) => {
    const all = await blocklist.list(statusOf(status))
    return { candidates: all.slice(0, limit ?? maxListed), total: all.length }
  },
  scanBlocklist: async (_, { signal, head }) => {
    const { missing, ...result } = await blocklist.scan(signal)
    reportMissing(head, missing)
    return result
  },
  updateBlocklistCandidate: ({ id, status }) => {
    const action = decisions[status]
    if (!action) throw invalidField(['body', 'status'], `status must be one of ${Object.keys(decisions).join(', ')}.`)
    return blocklist.decide(id, action)
  },
  pushBlocklistCandidate: ({ id }, { signal }) => blocklist.push(id, signal),
  unblockBlocklistCandidate: ({ id }, { signal }) => blocklist.unblock(id, signal),
  testBlocklist: async (_, { signal }) => ({ ok: true, detail: await blocklist.test(signal) }),
})
