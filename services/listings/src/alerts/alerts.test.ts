import { anonymous, type Caller, type RpcClient } from '@trellis/kit/rpc'
import { openStore, transact } from '@trellis/kit/store'
import { AlertKind, AlertsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/alerts.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { startTrellis, type Trellis } from '@trellis/test/support/trellis'
import { waitFor } from '@trellis/test/support/wait-for'
import { XMLValidator } from 'fast-xml-parser'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openService } from '../../test/open-service.ts'
import { type ListingsTables, migrations } from '../schemas.ts'
import { recordAlerts } from './record.ts'
import { maxAlerts, retainedDays, sweepAlerts } from './store.ts'

const as = (userId: string, kind: Caller['kind'] = 'account'): { caller: Caller } => ({
  caller: { userId, kind, tier: 'paid' },
})
const candidate = (id: number, price = 100, hasRange = false) => ({
  platform: 'marketplace',
  platformListingId: String(id),
  title: `Camera ${id}`,
  url: `http://site.test/itm/${id}`,
  photoUrl: null,
  sellerPlatformId: 'ada',
  price,
  hasRange,
  currency: 'USD',
  buyingFormat: 'fixed_price',
  endsAt: null,
  compositeScore: 80,
  isPartial: false,
  hardFilters: [],
})

describe.each(drawnBackend(databases, 'alerts'))('alerts on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('of a user', () => {
    const stack = new AsyncDisposableStack()
    let database: RunningDatabase
    let client: RpcClient<typeof AlertsServiceDefinition>
    let db: Kysely<ListingsTables>

    beforeAll(async () => {
      database = stack.use(await start())
      const store = stack.use(await database.place({ name: 'listings', migrations })).location
      db = stack.use(await openStore<ListingsTables>({ ...store, name: 'listings', migrations })).db
      const service = await openService(store, { CLOUD_MODE: '1' })
      stack.defer(() => service.close())
      client = service.connect(AlertsServiceDefinition)
    })
    afterAll(() => stack.disposeAsync())

    const alertTo = (
      userId: string,
      ids: readonly number[],
      { now = new Date(), price = 100, hasRange = false } = {},
    ) =>
      transact(db, (transaction: Kysely<ListingsTables>) =>
        recordAlerts(transaction, {
          userId,
          savedSearch: { id: 1, name: 'Cameras' },
          minTrustScore: 60,
          candidates: ids.map((id) => candidate(id, price, hasRange)),
          now,
        }),
      )
    const list = (who: { caller: Caller }, request = {}) => client.listAlerts(request, who)
    const idsOf = async (who: { caller: Caller }, request = {}) =>
      (await list(who, request)).alerts.map(({ platformListingId }) => Number(platformListingId))

    test('are listed newest first, those of one run as it ranks them, in pages, with the number of unread ones', async () => {
      const ann = as('ann')
      await alertTo('ann', [1, 2, 3])
      await alertTo('ann', [4, 5])
      const first = await list(ann, { limit: 2 })
      expect([first.alerts.map(({ title }) => title), first.unreadCount]).toEqual([['Camera 4', 'Camera 5'], 5])
      const cursor = first.nextCursor ?? ''
      expect(await idsOf(ann, { limit: 3, cursor })).toEqual([1, 2, 3])
      expect((await list(ann, { limit: 3, cursor })).nextCursor).toBeUndefined()
      await expect(list(ann, { cursor: 'x' })).rejects.toMatchObject({ status: 422 })
      expect(await idsOf(as('bob'))).toEqual([])
    })

    test('are dismissed one by one or all together, and then listed on request only', async () => {
      const who = as('dismissing')
      await alertTo('dismissing', [1, 2, 3])
      const [newest] = (await list(who)).alerts
      await client.dismissAlert({ id: newest?.id ?? 0 }, who)
      await client.dismissAlert({ id: newest?.id ?? 0 }, who)
      expect([await idsOf(who), (await list(who)).unreadCount]).toEqual([[2, 3], 2])
      expect(await client.dismissAllAlerts({}, who)).toEqual({ dismissed: 2 })
      expect(await client.dismissAllAlerts({}, who)).toEqual({ dismissed: 0 })
      const all = (await list(who, { includeDismissed: true })).alerts
      expect(all.map(({ dismissedAt }) => typeof dismissedAt)).toEqual(['string', 'string', 'string'])
      for (const id of [newest?.id ?? 0, 999_999])
        await expect(client.dismissAlert({ id }, as('eve'))).rejects.toMatchObject({ status: 404 })
    })

    test('are hidden while they are snoozed', async () => {
      const who = as('snoozing')
      await alertTo('snoozing', [1, 2])
      const [newest] = (await list(who)).alerts
      const id = newest?.id ?? 0
      const until = new Date(Date.now() + 3_600_000).toISOString()
      expect(await client.snoozeAlert({ id, until }, who)).toMatchObject({ id, snoozedUntil: until })
      expect([await idsOf(who), await idsOf(who, { includeDismissed: true })]).toEqual([[2], [1, 2]])
      expect(await client.dismissAllAlerts({}, who)).toEqual({ dismissed: 1 })
      await db.updateTable('alerts').set({ snoozed_until: new Date().toISOString() }).where('id', '=', id).execute()
      expect([await idsOf(who), (await list(who)).unreadCount]).toEqual([[1], 1])
      for (const wrong of [
        'tomorrow',
        '2026-01-01T00:00:00Z',
        '2999-01-01T00:00:00Z',
        '2999-01-01T00:00:00',
        '2026-13-01T00:00:00Z',
      ])
        await expect(client.snoozeAlert({ id, until: wrong }, who)).rejects.toMatchObject({ status: 422 })
      const now = new Date()
      const never = `${now.getUTCFullYear() + (now.getUTCMonth() > 1 ? 1 : 0)}-02-30T00:00:00Z`
      await expect(client.snoozeAlert({ id, until: never }, who)).rejects.toMatchObject({
        detail: [{ loc: ['body', 'until'], msg: expect.stringContaining('ISO 8601') }],
      })
      await expect(client.snoozeAlert({ id: 999_999, until }, who)).rejects.toMatchObject({ status: 404 })
    })

    test('compare single prices only, not the lower ends of ranges', async () => {
      await alertTo('ranging', [1], { price: 50, hasRange: true })
      expect(await alertTo('ranging', [1], { price: 100 })).toBe(0)
      expect(await alertTo('ranging', [1], { price: 50, hasRange: true })).toBe(0)
      expect(await alertTo('ranging', [1], { price: 90 })).toBe(1)
    })

    test('replace the earlier alert to a listing when its price changes', async () => {
      const who = as('changing')
      await alertTo('changing', [1, 2])
      expect(await alertTo('changing', [1, 2], { price: 97 })).toBe(0)
      expect(await alertTo('changing', [1], { price: 90 })).toBe(1)
      expect((await list(who)).alerts).toMatchObject([
        { platformListingId: '1', kind: AlertKind.PRICE_DROP, price: 90, priceBefore: 100 },
        { platformListingId: '2', kind: AlertKind.NEW_MATCH },
      ])
    })

    test('are retained up to a maximum, and none is repeated because it is no longer', async () => {
      const ids = Array.from({ length: maxAlerts + 20 }, (_, index) => index)
      for (let from = 0; from < ids.length; from += 340) await alertTo('many', ids.slice(from, from + 340))
      const { count } = await db
        .selectFrom('alerts')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('user_id', '=', 'many')
        .executeTakeFirstOrThrow()
      expect(Number(count)).toBe(maxAlerts)
      expect(await alertTo('many', ids.slice(0, 340))).toBe(0)
    })

    test('are deleted after 90 days, and repeated only if no monitor has found the listing for so long', async () => {
      const now = new Date('2030-01-01T00:00:00Z')
      const later = (days: number) => new Date(now.getTime() + days * 86_400_000)
      await alertTo('old', [1, 2], { now })
      await alertTo('old', [1], { now: later(60) })
      await sweepAlerts(db, later(retainedDays + 1))
      expect(await idsOf(as('old'), { includeDismissed: true })).toEqual([])
      expect(await alertTo('old', [1, 2], { now: later(retainedDays + 1) })).toBe(1)
    })

    test('of a visitor without a session are an empty list, and writing is 403; guests have no channels', async () => {
      const visitor = { caller: anonymous }
      expect(await list(visitor)).toEqual({ alerts: [], unreadCount: 0, nextCursor: undefined })
      expect(await client.getAlertSettings({}, visitor)).toMatchObject({ feedEnabled: false, webhook: null })
      const until = '2027-01-01T00:00:00Z'
      const writes = [
        client.dismissAlert({ id: 1 }, visitor),
        client.dismissAllAlerts({}, visitor),
        client.snoozeAlert({ id: 1, until }, visitor),
        client.putAlertSettings({}, as('guest:1', 'guest')),
        client.rotateAlertFeed({}, as('guest:1', 'guest')),
        client.deleteAlertFeed({}, as('guest:1', 'guest')),
        client.confirmAlertEmail({ code: '000000' }, as('guest:1', 'guest')),
      ]
      const statuses = await Promise.all(
        writes.map((write) => write.catch((error: { status: number }) => error.status)),
      )
      expect(statuses).toEqual(writes.map(() => 403))
    })

    describe('with settings', () => {
      const webhook = { url: 'https://hooks.example.com/alerts', secret: 'a secret of some length' }
      const quietHours = { start: '22:00', end: '07:00', timeZone: 'Europe/Berlin' }

      test('show all but the secret, which *** keeps for the same host', async () => {
        const who = as('settings')
        const saved = await client.putAlertSettings({ webhook, quietHours }, who)
        expect(saved).toMatchObject({ quietHours, webhook: { url: webhook.url, secret: '***' }, email: null })
        expect(await client.getAlertSettings({}, who)).toEqual(saved)
        const url = 'https://hooks.example.com/other'
        await client.putAlertSettings({ webhook: { url, secret: '***' } }, who)
        const row = await db
          .selectFrom('alert_settings')
          .selectAll()
          .where('user_id', '=', 'settings')
          .executeTakeFirst()
        expect(row).toMatchObject({ webhook_url: url, webhook_secret: webhook.secret, quiet_hours_json: null })
        const moved = client.putAlertSettings({ webhook: { url: 'https://eve.example.com/', secret: '***' } }, who)
        await expect(moved).rejects.toMatchObject({ status: 422, message: expect.stringContaining('secret') })
        expect(await client.putAlertSettings({}, who)).toMatchObject({ webhook: null, quietHours: null })
      })

      test.each([
        ['a webhook that is no address', { webhook: { ...webhook, url: 'hooks' } }],
        ['a webhook over FTP', { webhook: { ...webhook, url: 'ftp://example.com/' } }],
        ['a webhook with a password', { webhook: { ...webhook, url: 'https://a:b@example.com/' } }],
        ['a webhook at a private address, with accounts', { webhook: { ...webhook, url: 'http://192.168.1.7/' } }],
        ['a webhook at a metadata service', { webhook: { ...webhook, url: 'http://169.254.169.254/' } }],
        ['a short secret', { webhook: { ...webhook, secret: 'short' } }],
        ['a secret that is no base64', { webhook: { ...webhook, secret: 'whsec_!!!!!!!!!!!!!!!!!!!!' } }],
        ['a secret of a few bytes', { webhook: { ...webhook, secret: 'whsec_c2hvcnQgc2VjcmV0' } }],
        ['an unknown time zone', { quietHours: { ...quietHours, timeZone: 'Mars/Base' } }],
        ['quiet hours without a length', { quietHours: { ...quietHours, end: '22:00' } }],
        ['an e-mail address that is none', { email: { address: 'ann' } }],
        ['two e-mail addresses', { email: { address: 'a@b.test,c@d.test' } }],
        ['an e-mail address with an empty label', { email: { address: 'ann@example..test' } }],
        ['an e-mail address that begins with a dot', { email: { address: '.ann@example.test' } }],
      ])('%s is 422', async (_what, settings) => {
        await expect(client.putAlertSettings(settings, as('wrong'))).rejects.toMatchObject({ status: 422 })
      })

      test('an e-mail address is 503 where no mail is sent', async () => {
        for (const address of ['ann@example.test', 'ann@bücher.test']) {
          const put = client.putAlertSettings({ email: { address } }, as('mail'))
          await expect(put).rejects.toMatchObject({ status: 503, message: expect.stringContaining('SMTP_URL') })
        }
        await expect(client.confirmAlertEmail({ code: '000000' }, as('mail'))).rejects.toMatchObject({ status: 409 })
      })
    })
  })
})

describe('alerts over HTTP, of the demo marketplace', () => {
  let trellis: Trellis
  beforeAll(async () => {
    trellis = await startTrellis({ MARKETPLACE_REQUEST_GAP_MS: '0' })
  })
  afterAll(() => trellis?.[Symbol.asyncDispose]())

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${trellis.origin}/listings/api${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  test('a monitor alerts, and the feed shows it until its address is replaced', async () => {
    const created = await send('POST', '/saved-searches', { name: 'Laptops', query: 'thinkpad' })
    const { id } = (await created.json()) as { id: number }
    expect([created.status, typeof id]).toEqual([201, 'number'])
    const on = await send('PATCH', `/saved-searches/${id}/monitor`, { monitor_enabled: true })
    expect(await on.json()).toMatchObject({ monitor_enabled: true, poll_interval_min: 60, min_trust_score: 60 })
    const { url } = (await (await send('POST', '/alert-settings/feed')).json()) as { url: string }
    const list = async () =>
      (await (await send('GET', '/alerts?limit=1')).json()) as { alerts: { kind: string }[]; unread_count: number }
    await waitFor(async () => expect((await list()).unread_count).toBeGreaterThan(0), { interval: 250 })
    expect((await list()).alerts).toMatchObject([{ kind: 'new_match', saved_search_name: 'Laptops' }])

    const feed = await fetch(url)
    const text = await feed.text()
    expect([feed.status, feed.headers.get('content-type')]).toEqual([200, 'application/atom+xml'])
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text).toContain('<entry>')
    const etag = feed.headers.get('etag') ?? ''
    const again = await fetch(url, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])

    const rotated = (await (await send('POST', '/alert-settings/feed')).json()) as { url: string }
    expect([(await fetch(url)).status, (await fetch(rotated.url)).status]).toEqual([404, 200])
    expect((await send('DELETE', '/alert-settings/feed')).status).toBe(204)
    expect((await fetch(rotated.url)).status).toBe(404)

    expect((await send('PATCH', `/saved-searches/${id}/run`)).status).toBe(200)
    expect((await send('POST', '/alerts/dismiss-all')).status).toBe(200)
    expect((await list()).unread_count).toBe(0)
    expect((await send('DELETE', `/saved-searches/${id}`)).status).toBe(204)
    expect((await send('DELETE', `/saved-searches/${id}`)).status).toBe(204)
  })
})
