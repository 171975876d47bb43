import { issueSession, sessionLifetimeSeconds } from '@trellis/kit/credentials'
import type { Call, Handlers } from '@trellis/kit/rpc'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Dependencies } from '../dependencies.ts'

type SessionHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'createSession' | 'endSession'>

/** Sent to the API only, unreadable by scripts, not sent from other sites, and over TLS only if it was set over TLS. */
const cookieOf = (value: string, seconds: number, { origin }: Pick<Call, 'origin'>): string => {
  const secure = origin?.startsWith('https:') ? '; Secure' : ''
  return `logs_session=${value}; Path=/logs/api; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

/** Sessions are self-contained signed cookies without server state: they end with the cookie, their lifetime, or the API key. */
export const sessionRpc = ({ config: { apiKey }, now }: Pick<Dependencies, 'config' | 'now'>): SessionHandlers => ({
  createSession: async (_, call) => {
    if (apiKey !== '')
      call.head.header('set-cookie', cookieOf(issueSession(apiKey, now()), sessionLifetimeSeconds, call))
    return {}
  },
  endSession: async (_, call) => {
    call.head.header('set-cookie', cookieOf('', 0, call))
    return {}
  },
})
