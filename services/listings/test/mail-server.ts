import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A reply of the server to the next message; undefined accepts it. */
export type MailReply = { readonly code: number; readonly text: string }

/** An SMTP server on loopback that collects messages, each as its raw text, and refuses those for which `replies` has a reply. */
export const openMailServer = async () => {
  const messages: string[] = []
  const replies: MailReply[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'trellis' && password === 'p@ss'
        ? done(null, { user: username })
        : done(new Error('Wrong password.')),
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const reply = replies.shift()
        if (reply !== undefined) return done(Object.assign(new Error(reply.text), { responseCode: reply.code }))
        messages.push(Buffer.concat(chunks).toString())
        return done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    settings: { smtpUrl: `smtp://trellis:p%40ss@127.0.0.1:${port}`, from: 'Trellis <alerts@trellis.test>' },
    messages,
    replies,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
