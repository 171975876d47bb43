import { type Implementation, implementation } from '@trellis/kit/rpc'
import { AccountDeletionServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/account_deletion.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Erasure } from '../erasure/person.ts'
import { createApiCall } from '../marketplace/api/call.ts'
import { createTokenSource } from '../marketplace/api/token.ts'
import { openDeletions } from './deletions.ts'
import { createPublicKeys, type PublicKeys } from './public-keys.ts'
import { accountDeletionRpc } from './rpc.ts'
import { keyServer } from './settings.ts'

/** The keys of the configured API, created by the first notification that needs them. */
const lazyKeys = ({ config, now, signal }: Pick<Dependencies, 'config' | 'now' | 'signal'>): (() => PublicKeys) => {
  let keys: PublicKeys | undefined
  return () => {
    if (keys !== undefined) return keys
    const { apiUrl, id: clientId, secret: clientSecret } = keyServer(config)
    const call = createApiCall({ userAgent: config.userAgent, timeoutMilliseconds: 10_000 })
    const time = () => now().getTime()
    const tokens = createTokenSource({ call, apiUrl, clientId, clientSecret, now: time })
    keys = createPublicKeys({ call, tokens, apiUrl, now: time, signal })
    return keys
  }
}

/** Receives notifications of deleted accounts, and deletes what the erasures name until the signal of the dependencies aborts. */
export const openAccountDeletion = (
  dependencies: Pick<Dependencies, 'db' | 'config' | 'log' | 'now' | 'signal'>,
  erasures: readonly Erasure[],
  opened: AsyncDisposableStack,
): Implementation => {
  const { wake } = opened.use(openDeletions({ ...dependencies, erasures }))
  const publicKeys = lazyKeys(dependencies)
  return implementation(AccountDeletionServiceDefinition, accountDeletionRpc({ ...dependencies, publicKeys, wake }))
}
