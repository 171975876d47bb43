import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress } from '@trellis/kit/egress'
import { openStore, transact } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { listenForTests } from '@trellis/test/support/http-server'
import { waitFor } from '@trellis/test/support/wait-for'
import type { Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openMailServer } from '../../test/mail-server.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import type { Candidate } from './decide.ts'
import { maxSentAlerts } from './delivery-content.ts'
import { createMailer } from './mail.ts'
import { pauseAfterAttempt, runOutbox } from './outbox.ts'
import { claimDelivery } from './outbox-store.ts'
import { recordAlerts } from './record.ts'
import { confirmEmail, replaceSettings } from './settings.ts'
import { sendToWebhook, signatureOf } from './webhook.ts'

const secret = 'a secret of some length'
const patiently = { timeout: 120_000, interval: 20 }

type Received = { readonly headers: Record<string, unknown>; readonly body: string }

/** A receiver of webhooks that answers with the next of `statuses`, then with 204. */
const openReceiver = async ({ answer = 'Not now.' } = {}) => {
  const received: Received[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      const status = statuses.shift() ?? 204
      const headers = { 301: { location: '/hook/' }, 308: { location: 'http://localhost/hook' } }[status]
      response.writeHead(status, headers ?? { 'retry-after': '0' }).end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    statuses,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const candidate = (id: number): Candidate => ({
  platform: 'marketplace',
  platformListingId: String(id),
  title: `Camera ${id}\r\nBcc: eve@site.test`,
  url: `http://site.test/itm/${id}`,
  photoUrl: null,
  sellerPlatformId: 'ada',
  price: 100,
  hasRange: false,
  currency: 'USD',
  buyingFormat: 'fixed_price',
  endsAt: null,
  compositeScore: 80,
  isPartial: false,
  hardFilters: [],
})

test('the pause between attempts doubles up to an hour, and is not shorter than Retry-After', () => {
  const pauses = [1, 2, 3, 20].map((attempts) => pauseAfterAttempt(attempts, null, () => 1) / 1000)
  expect(pauses).toEqual([10, 20, 40, 3600])
  expect([pauseAfterAttempt(1, 600, () => 1), pauseAfterAttempt(1, 1e9, () => 1)]).toEqual([600_000, 86_400_000])
})

test('a webhook is signed as Standard Webhooks specifies', () => {
  // The example of the specification.
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
  }
  expect(signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

test('a webhook that accepts the connection and does not answer is reported as such', async () => {
  await using server = await listenForTests(() => undefined)
  await using egress = createEgress({ blockPrivate: false })
  const delivery = { id: '1', content_json: '{"alerts":[],"omitted":0}', created_at: '2026-03-01T12:00:00Z' }
  const attempt = await sendToWebhook(
    { egress, now: () => new Date(), signal: new AbortController().signal, attemptMilliseconds: 100 },
    { url: server.url, secret },
    { ...delivery, user_id: 'ann', channel: 'webhook', attempts: 1, next_attempt_at: '', claimed_until: null },
  )
  expect(attempt).toMatchObject({ kind: 'failed', detail: 'The webhook did not answer within 0.1 s.' })
})

describe.each(databases)('deliveries of alerts on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('from the outbox', () => {
    let database: RunningDatabase
    let own: AsyncDisposableStack
    let db: Kysely<ListingsTables>
    let ending: AbortController
    let clock: Date

    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database[Symbol.asyncDispose]())
    beforeEach(async () => {
      own = new AsyncDisposableStack()
      const { location } = own.use(await database.place({ name: 'listings', migrations }))
      db = own.use(await openStore<ListingsTables>({ ...location, name: 'listings', migrations })).db
      clock = new Date('2026-03-01T12:00:00Z')
      ending = new AbortController()
    })
    afterEach(async () => {
      ending.abort()
      await own.disposeAsync()
    })

    const rules = { blockPrivate: false, sendsMail: true, confirmsEmail: false }
    const settle = (settings: Partial<Parameters<typeof replaceSettings>[2]>, change = {}, userId = 'ann') =>
      replaceSettings(
        db,
        userId,
        { quietHours: undefined, webhook: undefined, email: undefined, ...settings },
        { rules: { ...rules, ...change }, now: clock },
      )
    /** Makes alerts to listings with these ids. */
    const alertTo = (...ids: number[]) => alertUserTo('ann', ids)
    const alertUserTo = (userId: string, ids: readonly number[]) =>
      transact(db, (transaction: Kysely<ListingsTables>) =>
        recordAlerts(transaction, {
          userId,
          savedSearch: { id: 1, name: 'Cameras' },
          minTrustScore: 60,
          candidates: ids.map(candidate),
          now: clock,
        }),
      )
    /** Starts a replica that delivers. */
    const deliver = ({
      mailer,
      blockPrivate = false,
      claimMilliseconds,
      now = () => clock,
    }: {
      mailer?: ReturnType<typeof createMailer>
      blockPrivate?: boolean
      claimMilliseconds?: number
      now?: () => Date
    } = {}) => {
      const egress = own.use(createEgress({ blockPrivate, setting: 'LISTINGS_ALERT_PRIVATE_ADDRESSES' }))
      const dependencies = { db, log: silentLog, now, signal: ending.signal }
      const options = { egress, mailer, random: () => 0, ...(claimMilliseconds !== undefined && { claimMilliseconds }) }
      const outbox = own.use(runOutbox(dependencies, options))
      own.defer(() => ending.abort())
      return outbox
    }
    const left = () => db.selectFrom('alert_deliveries').selectAll().orderBy('created_at').execute()
    const settingsOf = () =>
      db.selectFrom('alert_settings').selectAll().where('user_id', '=', 'ann').executeTakeFirstOrThrow()
    const untilEmpty = () => waitFor(async () => expect(await left()).toEqual([]), patiently)
    /** Lets the pause after a failed attempt pass; returns the settings with its outcome, which the next attempt replaces. */
    const passPause = async (outbox: { wake: () => void }) => {
      await waitFor(async () => {
        const [delivery] = await left()
        expect([delivery?.attempts, delivery?.claimed_until]).toEqual([expect.any(Number), null])
        expect(Date.parse(delivery?.next_attempt_at ?? '')).toBeGreaterThan(clock.getTime())
      }, patiently)
      const settings = await settingsOf()
      clock = new Date(clock.getTime() + 3_600_000)
      outbox.wake()
      return settings
    }

    test('reach a webhook that fails first, with the same id and body, signed again', async () => {
      const receiver = own.use(await openReceiver())
      receiver.statuses.push(500, 429)
      await settle({ webhook: { url: receiver.url, secret } })
      expect(await alertTo(1, 2)).toBe(2)
      const outbox = deliver()
      expect((await passPause(outbox)).webhook_error).toBe('The webhook answered 500: Not now.')
      await passPause(outbox)
      await untilEmpty()
      expect(receiver.received).toHaveLength(3)
      const [first, second, third] = receiver.received
      expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
      for (const { headers, body } of receiver.received) {
        expect(headers['webhook-id']).toBe(first?.headers['webhook-id'])
        expect(headers['idempotency-key']).toBe(headers['webhook-id'])
        const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
        expect(headers['webhook-signature']).toBe(signatureOf(secret, { id, timestamp, body }))
      }
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3)
      const { type, data } = JSON.parse(first?.body ?? '') as { type: string; data: { alerts: { title: string }[] } }
      expect([type, data.alerts.length, data.alerts[0]?.title]).toEqual(['listings.alerts', 2, candidate(1).title])
      expect(await settingsOf()).toMatchObject({ webhook_error: null, webhook_delivered_at: clock.toISOString() })
    })

    test('of a replica that was killed before or during an attempt are delivered by another', async () => {
      const receiver = own.use(await openReceiver())
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      // It is killed after it has claimed the delivery.
      const [delivery] = await left()
      const until = new Date(clock.getTime() + 1)
      await claimDelivery(db, delivery?.id ?? '', clock, until)
      clock = new Date(clock.getTime() + 1_000)
      deliver()
      await untilEmpty()
      expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery?.id])
    })

    test('are tried by one of two replicas', async () => {
      const receiver = own.use(await openReceiver())
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      deliver()
      deliver()
      await untilEmpty()
      expect(receiver.received).toHaveLength(1)
    })

    test('of one user do not wait for the webhook of another that does not answer', async () => {
      const held = Promise.withResolvers<void>()
      let requests = 0
      const silent = own.use(
        await listenForTests(async (_request, response) => {
          requests += 1
          await held.promise
          response.writeHead(204).end()
        }),
      )
      own.defer(() => held.resolve())
      const receiver = own.use(await openReceiver())
      await settle({ webhook: { url: silent.url, secret } })
      await settle({ webhook: { url: receiver.url, secret } }, {}, 'bob')
      await alertTo(1)
      const outbox = deliver()
      await waitFor(() => expect(requests).toBe(1), patiently)
      await alertUserTo('bob', [2])
      outbox.wake()
      await waitFor(() => expect(receiver.received).toHaveLength(1), patiently)
      await waitFor(async () => expect(await left()).toMatchObject([{ user_id: 'ann', attempts: 1 }]), patiently)
      expect((await left())[0]?.claimed_until).not.toBeNull()
      held.resolve()
      await untilEmpty()
      expect(requests).toBe(1)
    })

    test('behind a failing one wait and are sent together, the latest of each listing', async () => {
      const receiver = own.use(await openReceiver())
      receiver.statuses.push(500)
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      const outbox = deliver()
      await waitFor(
        async () => expect((await left())[0]).toMatchObject({ attempts: 1, claimed_until: null }),
        patiently,
      )
      await alertTo(2, 3)
      await alertTo(4)
      expect(await left()).toHaveLength(2)
      await passPause(outbox)
      await untilEmpty()
      const ids = receiver.received.map(({ body }) =>
        (JSON.parse(body) as { data: { alerts: { platform_listing_id: string }[] } }).data.alerts.map(
          ({ platform_listing_id }) => platform_listing_id,
        ),
      )
      expect(ids).toEqual([['1'], ['1'], ['2', '3', '4']])
    })

    test('have a bounded size', async () => {
      await settle({ webhook: { url: 'http://127.0.0.1:9/', secret } })
      await alertTo(...Array.from({ length: maxSentAlerts + 20 }, (_, index) => index))
      const [delivery] = await left()
      const content = JSON.parse(delivery?.content_json ?? '') as { alerts: unknown[]; omitted: number }
      expect([content.alerts.length, content.omitted]).toEqual([maxSentAlerts, 20])
    })

    test('that are not accepted for a day are abandoned, with the reason', async () => {
      const receiver = own.use(await openReceiver())
      receiver.statuses.push(...Array.from({ length: 50 }, () => 500))
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      const outbox = deliver()
      await passPause(outbox)
      await waitFor(async () => expect((await left())[0]?.attempts).toBe(2), patiently)
      await passPause(outbox)
      clock = new Date(clock.getTime() + 24 * 3_600_000)
      outbox.wake()
      await untilEmpty()
      expect((await settingsOf()).webhook_error).toContain('500')
    })

    test('to a webhook at an address that is not allowed are abandoned at once', async () => {
      const receiver = own.use(await openReceiver())
      await settle({ webhook: { url: receiver.url.replace('127.0.0.1', 'localhost'), secret } })
      await alertTo(1)
      deliver({ blockPrivate: true })
      await untilEmpty()
      expect(receiver.received).toEqual([])
      expect((await settingsOf()).webhook_error).toContain('LISTINGS_ALERT_PRIVATE_ADDRESSES')
    })

    test('to a webhook that has moved are not taken for received, and the settings name the new address', async () => {
      const receiver = own.use(await openReceiver())
      receiver.statuses.push(301)
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      const outbox = deliver()
      expect((await passPause(outbox)).webhook_error).toBe(
        `The webhook answered 301: it has moved to ${receiver.url}/. Set that address.`,
      )
      await untilEmpty()
      expect(receiver.received.map(({ body }) => body === '')).toEqual([false, false])
    })

    test('to a webhook that has moved to another host wait for the new address', async () => {
      const receiver = own.use(await openReceiver())
      receiver.statuses.push(308)
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      const outbox = deliver()
      const error = (await passPause(outbox)).webhook_error
      expect(error).toContain('redirects to localhost')
      expect(error).toContain('Set the address that it has moved to.')
      await untilEmpty()
      expect(receiver.received).toHaveLength(2)
    })

    test('to a webhook that is answered by a web page show its title', async () => {
      const page = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Oh</h1></body></html>'
      const receiver = own.use(await openReceiver({ answer: page }))
      receiver.statuses.push(502)
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      expect((await passPause(deliver())).webhook_error).toBe('The webhook answered 502: a web page, "502 Bad Gateway"')
    })

    test('of a channel that was switched off meanwhile are dropped', async () => {
      const receiver = own.use(await openReceiver())
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      await settle({})
      deliver()
      await untilEmpty()
      expect(receiver.received).toEqual([])
    })

    test('in quiet hours are sent together at their end', async () => {
      const receiver = own.use(await openReceiver())
      const quietHours = { start: '11:00', end: '13:00', timeZone: 'UTC' }
      await settle({ webhook: { url: receiver.url, secret }, quietHours })
      await alertTo(1)
      const outbox = deliver()
      await waitFor(async () => expect((await left())[0]?.next_attempt_at).toBe('2026-03-01T13:00:00.000Z'), patiently)
      await alertTo(2)
      expect(receiver.received).toEqual([])
      clock = new Date('2026-03-01T13:00:00Z')
      outbox.wake()
      await untilEmpty()
      expect(receiver.received).toHaveLength(1)
      expect(
        (JSON.parse(receiver.received[0]?.body ?? '') as { data: { alerts: unknown[] } }).data.alerts,
      ).toHaveLength(2)
    })

    test('that waited for the end of quiet hours are sent when these are switched off', async () => {
      const receiver = own.use(await openReceiver())
      const webhook = { url: receiver.url, secret }
      await settle({ webhook, quietHours: { start: '11:00', end: '13:00', timeZone: 'UTC' } })
      await alertTo(1)
      const outbox = deliver()
      await waitFor(async () => expect((await left())[0]?.next_attempt_at).toBe('2026-03-01T13:00:00.000Z'), patiently)
      await settle({ webhook })
      outbox.wake()
      await untilEmpty()
      expect(receiver.received).toHaveLength(1)
    })

    test('that failed, and then waited for the end of quiet hours, are tried again when these are switched off', async () => {
      const receiver = own.use(await openReceiver())
      receiver.statuses.push(500)
      const webhook = { url: receiver.url, secret }
      await settle({ webhook })
      await alertTo(1)
      const outbox = deliver()
      await waitFor(async () => expect(await left()).toMatchObject([{ attempts: 1, claimed_until: null }]), patiently)
      await settle({ webhook, quietHours: { start: '11:00', end: '13:00', timeZone: 'UTC' } })
      outbox.wake()
      await waitFor(async () => expect((await left())[0]?.next_attempt_at).toBe('2026-03-01T13:00:00.000Z'), patiently)
      await settle({ webhook })
      outbox.wake()
      await untilEmpty()
      expect(receiver.received).toHaveLength(2)
    })

    test('that failed are sent to a new address of the webhook at once', async () => {
      const receiver = own.use(await openReceiver())
      receiver.statuses.push(500)
      await settle({ webhook: { url: receiver.url, secret } })
      await alertTo(1)
      const outbox = deliver()
      await waitFor(async () => expect(await left()).toMatchObject([{ attempts: 1, claimed_until: null }]), patiently)
      await settle({ webhook: { url: `${receiver.url}/new`, secret } })
      outbox.wake()
      await untilEmpty()
      expect(receiver.received).toHaveLength(2)
    })

    test('by e-mail are sent once, after a temporary refusal, and titles cannot add headers', async () => {
      const server = own.use(await openMailServer())
      server.replies.push({ code: 451, text: 'Try again later' })
      const mailer = own.use(createMailer(server.settings))
      await settle({ email: 'ann@example.test' })
      await alertTo(1)
      const outbox = deliver({ mailer })
      expect((await passPause(outbox)).email_error).toContain('Try again later')
      await untilEmpty()
      expect(server.messages).toHaveLength(1)
      const [head = '', text = ''] = (server.messages[0] ?? '').split('\r\n\r\n')
      expect(head).toMatch(/^From: Trellis <alerts@trellis\.test>$/m)
      expect(head).toMatch(/^To: ann@example\.test$/m)
      expect(head).toMatch(/^Subject: New: Camera 1 Bcc: eve@site\.test$/m)
      expect(head).not.toMatch(/^Bcc:/m)
      expect(text).toContain('http://site.test/itm/1')
      expect((await settingsOf()).email_delivered_at).toBe(clock.toISOString())
    })

    test('by e-mail that were accepted are not sent again when the database is unavailable afterwards', async () => {
      const server = own.use(await openMailServer())
      await settle({ email: 'ann@example.test' })
      await alertTo(1)
      const mailer = own.use(createMailer(server.settings))
      let failures = 2
      const whole = db
      db = new Proxy(whole, {
        get: (target, name) => {
          if (name === 'transaction' && failures-- > 0) throw new Error('The database is unavailable.')
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      const outbox = deliver({ mailer })
      db = whole
      await waitFor(() => expect(server.messages).toHaveLength(1), patiently)
      // Its claim is over before the outcome is recorded.
      clock = new Date(clock.getTime() + 120_000)
      for (let rounds = 0; rounds < 4; rounds += 1) outbox.wake()
      await waitFor(async () => {
        outbox.wake()
        expect(await left()).toEqual([])
      }, patiently)
      expect([server.messages.length, failures < 0]).toEqual([1, true])
    })

    test('by e-mail are sent once, however long the server checks them, and webhooks do not wait for it', async () => {
      const held = Promise.withResolvers<void>()
      let received = 0
      const beforeReply = () => {
        received += 1
        return held.promise
      }
      const server = own.use(await openMailServer({ beforeReply }))
      own.defer(() => held.resolve())
      const receiver = own.use(await openReceiver())
      await settle({ email: 'ann@example.test', webhook: { url: receiver.url, secret } })
      await alertTo(1)
      const mailer = own.use(createMailer(server.settings))
      const claimMilliseconds = 600
      const replicas = [1, 2].map(() => deliver({ mailer, claimMilliseconds }))
      await waitFor(() => expect([received, receiver.received.length]).toEqual([1, 1]), patiently)
      await alertTo(2)
      for (const { wake } of replicas) wake()
      await waitFor(() => expect(receiver.received).toHaveLength(2), patiently)
      const claimedUntil = async () => {
        const row = await db.selectFrom('alert_deliveries').selectAll().where('attempts', '>', 0).executeTakeFirst()
        return Date.parse(row?.claimed_until ?? '')
      }
      // Replicas that look after the first claim would be over find it renewed.
      for (const _step of [1, 2, 3]) {
        clock = new Date(clock.getTime() + claimMilliseconds / 2)
        for (const { wake } of replicas) wake()
        await waitFor(async () => expect(await claimedUntil()).toBe(clock.getTime() + claimMilliseconds), patiently)
      }
      held.resolve()
      await untilEmpty()
      expect(server.messages.map((message) => /^Subject: (.*)\r$/m.exec(message)?.[1])).toEqual([
        expect.stringContaining('Camera 1'),
        expect.stringContaining('Camera 2'),
      ])
    })

    test('by e-mail to an address that does not exist are abandoned', async () => {
      const server = own.use(await openMailServer())
      server.replies.push({ code: 550, text: 'No such user' })
      await settle({ email: 'ann@example.test' })
      await alertTo(1)
      deliver({ mailer: own.use(createMailer(server.settings)) })
      await untilEmpty()
      expect((await settingsOf()).email_error).toContain('No such user')
    })

    test('with accounts, go to an e-mail address only after the code that was sent there', async () => {
      const server = own.use(await openMailServer())
      await settle({ email: 'ann@example.test' }, { confirmsEmail: true })
      await alertTo(1)
      deliver({ mailer: own.use(createMailer(server.settings)) })
      await untilEmpty()
      const code = /^Subject: (\d{6}) /m.exec(server.messages[0] ?? '')?.[1] ?? ''
      await expect(settle({ email: 'bob@example.test' }, { confirmsEmail: true })).rejects.toMatchObject({
        status: 429,
      })
      const wrong = code === '000000' ? '000001' : '000000'
      for (let tries = 0; tries < 4; tries += 1)
        await expect(confirmEmail(db, 'ann', wrong, clock)).rejects.toMatchObject({ status: 422 })
      expect(await confirmEmail(db, 'ann', code, clock)).toMatchObject({ email_confirmed: 1, email_code: null })
      await expect(confirmEmail(db, 'ann', code, clock)).rejects.toMatchObject({ status: 409 })
      await alertTo(2)
      await untilEmpty()
      expect(server.messages).toHaveLength(2)
      expect(server.messages[1]).toContain('Subject: New: Camera 2')
    })

    test('a code is void after five wrong ones, and after an hour', async () => {
      await settle({ email: 'ann@example.test' }, { confirmsEmail: true })
      const { email_code } = await settingsOf()
      const wrong = email_code === '000000' ? '000001' : '000000'
      await expect(
        confirmEmail(db, 'ann', email_code ?? '', new Date(clock.getTime() + 3_600_000)),
      ).rejects.toMatchObject({
        status: 409,
      })
      for (let tries = 0; tries < 5; tries += 1)
        await expect(confirmEmail(db, 'ann', wrong, clock)).rejects.toMatchObject({ status: 422 })
      await expect(confirmEmail(db, 'ann', email_code ?? '', clock)).rejects.toMatchObject({ status: 409 })
    })
  })
})
