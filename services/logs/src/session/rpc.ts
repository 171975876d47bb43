import { issueSession, readSession, sessionLifetimeSeconds } from '@trellis/kit/credentials'
import type { Call, Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { SessionsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/session.ts'
import type { Dependencies } from '../dependencies.ts'
import { endSession, isSessionEnded } from './store.ts'

type SessionHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'createSession' | 'endSession'>

/** Sent to the API only, unreadable by scripts, not sent from other sites, and over TLS only if it was set over TLS. */
const cookieOf = (value: string, seconds: number, { origin }: Pick<Call, 'origin'>): string => {
  const secure = origin?.startsWith('https:') ? '; Secure' : ''
  return `logs_session=${value}; Path=/logs/api; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

/**
 * Sessions are self-contained signed cookies, so beginning one stores nothing. The ids of those that were ended are stored until they would have expired:
 * few rows, which all replicas share.
 */
export const sessionRpc = ({
  config: { apiKey },
  db,
  now,
}: Pick<Dependencies, 'config' | 'db' | 'now'>): SessionHandlers => ({
  createSession: async (_, call) => {
    if (apiKey !== '')
      call.head.header('set-cookie', cookieOf(issueSession(apiKey, now()), sessionLifetimeSeconds, call))
    return {}
  },
  endSession: async ({ session: cookie }, call) => {
    const session = apiKey === '' ? undefined : readSession(cookie ?? '', apiKey, now())
    if (session) await endSession(db, session, now())
    call.head.header('set-cookie', cookieOf('', 0, call))
    return {}
  },
})

/** For the edge, which authenticates callers. */
export const sessionsRpc = ({ db }: Pick<Dependencies, 'db'>): Handlers<typeof SessionsServiceDefinition> => ({
  checkSession: async ({ id }) => ({ ended: await isSessionEnded(db, id) }),
})
