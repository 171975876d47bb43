import type { RpcClient } from '@trellis/kit/rpc'
import type { SessionsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/session.ts'

/** Finds out from the logs service whether a session was ended before it expired. Not cached, so that an ended session is refused at once by every replica. */
export const sessionCheck =
  (sessions: RpcClient<typeof SessionsServiceDefinition>) =>
  async (id: string): Promise<boolean> =>
    (await sessions.checkSession({ id }, { isSafe: true })).ended
