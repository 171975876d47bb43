import { once } from 'node:events'
import { makeKeyPair } from '@trellis/test/support/sshd'
import ssh, { type Session } from 'ssh2'

/** An SSH server that accepts any key, for hosts that behave as no sshd does. A session that is not accepted stays without a response. */
export const openSshServer = async (onSession: (accept: () => Session) => void) => {
  const clients = new Set<ssh.Connection>()
  const server = new ssh.Server({ hostKeys: [makeKeyPair().private] }, (client) => {
    clients.add(client)
    client.on('error', () => undefined)
    client.on('close', () => clients.delete(client))
    client.on('authentication', (context) => context.accept())
    client.on('session', onSession)
    // Without a listener, requests for sockets are rejected.
    client.on('openssh.streamlocal' as 'tcpip', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.end()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
