import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canMakeCertificates, createAuthority } from '@trellis/test/support/certificates'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMailServer } from '../../test/mail-server.ts'
import type { SentAlert } from './delivery-content.ts'
import { alertMessage, createMailer } from './mail.ts'

const alert: SentAlert = {
  id: 1,
  kind: 'new_match',
  saved_search_id: 1,
  saved_search_name: 'Kameras',
  platform: 'marketplace',
  platform_listing_id: '1',
  title: 'Größe M “Kamera” 相机 📷',
  url: 'http://site.test/itm/1',
  photo_url: null,
  seller_platform_id: 'ada',
  price: 100,
  currency: 'USD',
  price_before: null,
  buying_format: 'fixed_price',
  ends_at: null,
  composite_score: 80,
  score_is_partial: false,
  created_at: '2026-03-01T12:00:00.000Z',
}
const messageOf = (title: string) =>
  alertMessage('ann@example.test', { content_json: JSON.stringify({ alerts: [{ ...alert, title }], omitted: 0 }) })
const forever = new AbortController().signal

let own: AsyncDisposableStack
beforeEach(() => {
  own = new AsyncDisposableStack()
})
afterEach(() => own.disposeAsync())

/** The text of an encoded header (RFC 2047), unfolded. */
const decoded = (message: string, name: string): string => {
  const [, value = ''] = new RegExp(`^${name}: ((?:.*)(?:\\r\\n[ \\t].*)*)`, 'm').exec(message) ?? []
  const bytes = [...value.matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi)].map(([, kind, text = '']) =>
    kind?.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64')
      : Buffer.from(
          text
            .replaceAll('_', ' ')
            .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ),
  )
  return bytes.length === 0 ? value : Buffer.concat(bytes).toString()
}

test('a subject in any script arrives as it was, and a long one is cut between characters', async () => {
  const server = own.use(await openMailServer())
  const mailer = own.use(createMailer(server.settings))
  expect(await mailer.send('a', messageOf(alert.title), forever)).toEqual({ kind: 'accepted' })
  expect(await mailer.send('b', messageOf(`x${'📷'.repeat(90)}`), forever)).toEqual({ kind: 'accepted' })
  expect(decoded(server.messages[0] ?? '', 'Subject')).toBe(`New: ${alert.title}`)
  expect(decoded(server.messages[1] ?? '', 'Subject')).toBe(`New: x${'📷'.repeat(79)}…`)
})

test('a message is plain text, explains how to stop alerts, and is marked as automatic', async () => {
  const server = own.use(await openMailServer())
  const mailer = own.use(createMailer(server.settings))
  await mailer.send('a', messageOf('Camera'), forever)
  const [message = ''] = server.messages
  expect(message).toMatch(/^Content-Type: text\/plain; charset=utf-8/m)
  expect(message).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(message).toMatch(/^Message-ID: <a@trellis\.test>\r$/m)
  expect(messageOf('Camera').text).toMatch(/switch alerts by e-mail off in the settings of your alerts\.\n$/)
})

test('the text of an alert groups its amounts, as pages do', () => {
  const drop = { ...alert, kind: 'price_drop' as const, price: 1_073.9, price_before: 1_200 }
  const content_json = JSON.stringify({ alerts: [drop, { ...alert, price: null }], omitted: 0 })
  const { text } = alertMessage('ann@example.test', { content_json })
  expect(text).toContain('\n1,073.90 USD (before: 1,200.00 USD), trust score 80 of 100\n')
  expect(text).toContain('\nprice unknown, trust score 80 of 100\n')
})

test.skipIf(!canMakeCertificates())(
  'a server that offers TLS gets the password over TLS only, and not with a certificate that is not trusted',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'trellis-mail-'))
    own.defer(() => rmSync(directory, { recursive: true }))
    const { keyFile, certificateFile } = createAuthority(directory).issue('mail.test')
    const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') }
    const server = own.use(await openMailServer({ tls }))
    const mailer = own.use(createMailer(server.settings))
    expect(await mailer.send('a', messageOf('Camera'), forever)).toMatchObject({
      kind: 'failed',
      detail: expect.stringContaining('certificate'),
    })
    expect([server.secured, server.messages]).toEqual([[], []])
  },
)

test('a server that offers no TLS gets nothing if TLS is required, and the message is retried', async () => {
  const server = own.use(await openMailServer())
  const mailer = own.use(createMailer({ ...server.settings, smtpUrl: `${server.settings.smtpUrl}?tls=required` }))
  expect(await mailer.send('a', messageOf('Camera'), forever)).toMatchObject({
    kind: 'failed',
    detail: expect.stringContaining('STARTTLS'),
  })
  expect([server.secured, server.messages]).toEqual([[], []])
})

test('a wrong password is retried, since an administrator can correct it', async () => {
  const server = own.use(await openMailServer())
  const settings = { ...server.settings, smtpUrl: server.settings.smtpUrl.replace('p%40ss', 'wrong') }
  const mailer = own.use(createMailer(settings))
  const attempt = await mailer.send('a', messageOf('Camera'), forever)
  expect(attempt).toMatchObject({ kind: 'failed', detail: expect.stringContaining('535') })
  expect(JSON.stringify(attempt)).not.toContain('wrong')
})

test('a sender that the server refuses is retried, since an administrator can correct it', async () => {
  const server = own.use(await openMailServer({ senderReply: { code: 553, text: 'Sender not owned' } }))
  const mailer = own.use(createMailer(server.settings))
  expect(await mailer.send('a', messageOf('Camera'), forever)).toMatchObject({
    kind: 'failed',
    detail: expect.stringContaining('Sender not owned'),
  })
})

test.each([
  [{ code: 450, text: '4.2.0 Greylisted' }, 'the mail server answered 450 4.2.0 Greylisted (RCPT TO)', 'failed'],
  [{ code: 550, text: '5.1.1 No such user' }, 'the mail server answered 550 5.1.1 No such user (RCPT TO)', 'refused'],
])('the reply %j to a recipient is shown with its command', async (recipientReply, reason, kind) => {
  const server = own.use(await openMailServer({ recipientReply }))
  const mailer = own.use(createMailer(server.settings))
  expect(await mailer.send('a', messageOf('Camera'), forever)).toMatchObject({
    kind,
    detail: `The message could not be sent: ${reason}`,
  })
})

test('a server that is not reached is reported without its address, which users need not know', async () => {
  const server = await openMailServer()
  await server[Symbol.asyncDispose]()
  const mailer = own.use(createMailer(server.settings))
  expect(await mailer.send('a', messageOf('Camera'), forever)).toMatchObject({
    kind: 'failed',
    detail: 'The message could not be sent: the mail server could not be reached (ECONNREFUSED)',
  })
})

test('a server may take longer to greet than to connect', async () => {
  const greetAfterMilliseconds = 300
  const server = own.use(await openMailServer({ greetAfterMilliseconds }))
  const timeouts = { connectMilliseconds: greetAfterMilliseconds / 2, greetingMilliseconds: 60_000 }
  const mailer = own.use(createMailer(server.settings, timeouts))
  expect(await mailer.send('a', messageOf('Camera'), forever)).toEqual({ kind: 'accepted' })
})

test('a message that the server is checking when the service ends is not waited for long', async () => {
  const held = Promise.withResolvers<void>()
  const received = Promise.withResolvers<void>()
  own.defer(() => held.resolve())
  const server = own.use(
    await openMailServer({
      beforeReply: () => {
        received.resolve()
        return held.promise
      },
    }),
  )
  const mailer = own.use(createMailer(server.settings))
  const ending = new AbortController()
  const sent = mailer.send('a', messageOf('Camera'), ending.signal)
  await received.promise
  ending.abort()
  expect(await sent).toMatchObject({ kind: 'failed' })
})
