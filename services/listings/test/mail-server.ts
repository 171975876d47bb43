import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A reply of the server to the next message; undefined accepts it. */
export type MailReply = { readonly code: number; readonly text: string }

export type MailServerOptions = {
  /** Offers STARTTLS with this certificate; without one the connection stays plain. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Refuses every sender with this reply. */
  readonly senderReply?: MailReply
  /** Refuses every recipient with this reply. */
  readonly recipientReply?: MailReply
  /** How long a client waits for the greeting. */
  readonly greetAfterMilliseconds?: number
  /** What the server waits for before it replies to a message. */
  readonly beforeReply?: () => Promise<void>
}

const refusal = ({ code, text }: MailReply) => Object.assign(new Error(text), { responseCode: code })

/** An SMTP server on loopback that collects messages, each as its raw text, and refuses those for which `replies` has a reply. */
export const openMailServer = async ({
  tls,
  senderReply,
  recipientReply,
  greetAfterMilliseconds = 0,
  beforeReply = async () => {},
}: MailServerOptions = {}) => {
  const messages: string[] = []
  const replies: MailReply[] = []
  const secured: boolean[] = []
  const server = new SMTPServer({
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: tls === undefined,
    onAuth: ({ username, password }, { secure }, done) => {
      secured.push(secure)
      return username === 'trellis' && password === 'p@ss'
        ? done(null, { user: username })
        : done(new Error('Wrong password.'))
    },
    onConnect: (_session, done) => {
      if (greetAfterMilliseconds === 0) return done()
      setTimeout(done, greetAfterMilliseconds)
    },
    onRcptTo: (_address, _session, done) => done(recipientReply && refusal(recipientReply)),
    onMailFrom: (_address, _session, done) => done(senderReply && refusal(senderReply)),
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        await beforeReply()
        const reply = replies.shift()
        if (reply !== undefined) return done(refusal(reply))
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
    /** Whether the connection was encrypted, for each login. */
    secured,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
