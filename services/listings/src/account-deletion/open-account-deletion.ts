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

/** The keys of the configured API, or of the demo's, created by the first notification that needs them. */
const lazyKeys = ({
  config,
  now,
  signal,
  demoUrl,
}: Pick<Dependencies, 'config' | 'demoUrl' | 'now' | 'signal'>): (() => Promise<PublicKeys>) => {
  let keys: PublicKeys | undefined
  return async () => {
    if (keys !== undefined) return keys
    const { apiUrl: configured, id: clientId, secret: clientSecret } = keyServer(config)
    const apiUrl = configured ?? (await demoUrl())
    const call = createApiCall({ userAgent: config.userAgent, timeoutMilliseconds: 10_000 })
    const time = () => now().getTime()
    const tokens = createTokenSource({ call, apiUrl, clientId, clientSecret, now: time })
    keys = createPublicKeys({ call, tokens, apiUrl, now: time, signal })
    return keys
  }
}

/** Receives notifications of deleted accounts, and deletes what the erasures name until the signal of the dependencies aborts. */
export const openAccountDeletion = (
  dependencies: Pick<Dependencies, 'config' | 'db' | 'demoUrl' | 'log' | 'now' | 'signal'>,
  erasures: readonly Erasure[],
  opened: AsyncDisposableStack,
): Implementation => {
  const { wake } = opened.use(openDeletions({ ...dependencies, erasures }))
  const publicKeys = lazyKeys(dependencies)
  return implementation(AccountDeletionServiceDefinition, accountDeletionRpc({ ...dependencies, publicKeys, wake }))
}
