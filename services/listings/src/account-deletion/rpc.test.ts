import { readConfig } from '@trellis/kit/config'
import { connectInProcess, type Handlers } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { AccountDeletionServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/account_deletion.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterEach, describe, expect, test } from 'vitest'
import { keyId, notificationOf, signatureOf, startKeyServer } from '../../test/notifications.ts'
import { listingsConfig } from '../config.ts'
import { type ListingsTables, listingsSchema } from '../schemas.ts'
import { openAccountDeletion } from './open-account-deletion.ts'

let own = new AsyncDisposableStack()
afterEach(async () => {
  const before = own
  own = new AsyncDisposableStack()
  await before.disposeAsync()
})

const complete = {
  MARKETPLACE_NOTIFICATION_TOKEN: 'verification-token',
  MARKETPLACE_NOTIFICATION_ENDPOINT: 'https://trellis.test/listings/api/marketplace/account-deletion',
  MARKETPLACE_APP_ID: 'app',
  MARKETPLACE_CERT_ID: 'cert',
  MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: '1',
}

/** The webhook over a database, with the key server of a marketplace. */
const open = async (environment: Record<string, string> = {}) => {
  const server = own.use(await startKeyServer())
  const directory = own.use(await temporaryDirectory())
  const { db } = own.use(await openStore<ListingsTables>({ dataDirectory: directory.path, ...listingsSchema }))
  const config = readConfig(listingsConfig, { ...complete, MARKETPLACE_API_URL: server.url, ...environment })
  const ending = new AbortController()
  const time = { now: new Date('2026-03-01T09:15:02.000Z') }
  const demoUrl = async () => server.url
  const dependencies = { db, config, log: silentLog, now: () => time.now, signal: ending.signal, demoUrl }
  const { handlers } = openAccountDeletion(dependencies, [], own)
  own.defer(() => ending.abort())
  const client = connectInProcess(
    AccountDeletionServiceDefinition,
    handlers as Handlers<typeof AccountDeletionServiceDefinition>,
  )
  const send = (body: string, parameters: { signature?: string; ebaySignature?: string }, signal?: AbortSignal) => {
    async function* messages() {
      yield { part: { $case: 'parameters' as const, value: parameters } }
      for (let at = 0; at < body.length; at += 10_000)
        yield { part: { $case: 'chunk' as const, value: Buffer.from(body.slice(at, at + 10_000)) } }
    }
    return client.receiveAccountDeletion(messages(), signal === undefined ? {} : { signal })
  }
  const sendSigned = (body: string, signal?: AbortSignal) =>
    send(body, { signature: signatureOf(server.privateKey, body) }, signal)
  const rows = () => db.selectFrom('account_deletions').select('notification_id').execute()
  return { server, client, send, sendSigned, rows, time }
}

const body = notificationOf({ username: 'a_seller', userId: 'ma8vp1jySJC' })

describe('a notification', () => {
  test('with a valid signature is stored once, however often it is sent', async () => {
    const { sendSigned, rows } = await open()
    expect(await sendSigned(body)).toEqual({})
    expect(await sendSigned(body)).toEqual({})
    expect(await rows()).toEqual([{ notification_id: 'notification-1' }])
  })

  test('is accepted with the header of either name, and after a proxy has reformatted it', async () => {
    const { server, send, rows } = await open()
    const signature = signatureOf(server.privateKey, body)
    await send(JSON.stringify(JSON.parse(body), null, 2), { ebaySignature: signature })
    expect(await rows()).toHaveLength(1)
  })

  test.each([
    ['without a signature', {}],
    ['with a malformed signature', { signature: 'x' }],
    ['with an empty signature', { signature: '' }],
  ])('%s is 412 and requests no key', async (_what, parameters) => {
    const { send, server, rows } = await open()
    await expect(send(body, parameters)).rejects.toMatchObject({ status: 412 })
    expect(server.requests).toEqual([])
    expect(await rows()).toEqual([])
  })

  test('with the signature of another body, or by an unknown key, is 412', async () => {
    const { server, send, rows } = await open()
    const other = signatureOf(server.privateKey, notificationOf({ username: 'another' }))
    await expect(send(body, { signature: other })).rejects.toMatchObject({ status: 412 })
    const unknown = signatureOf(server.privateKey, body, 'unknown-key')
    await expect(send(body, { signature: unknown })).rejects.toMatchObject({ status: 412 })
    expect(await rows()).toEqual([])
  })

  test.each([
    ['no JSON', 'username=a_seller'],
    ['no object', '[]'],
    ['another topic', body.replace('ACCOUNT_DELETION', 'ITEM_SOLD')],
    ['no account', notificationOf({ username: ' ', userId: 7 })],
    ['an account that no database stores', notificationOf({ username: 'a\0b' })],
    ['an overlong account', notificationOf({ username: 'a'.repeat(201) })],
  ])('that is signed and has %s is 400', async (_what, text) => {
    const { sendSigned, rows } = await open()
    await expect(sendSigned(text)).rejects.toMatchObject({ status: 400 })
    expect(await rows()).toEqual([])
  })

  test('of more than 64 KiB is 413', async () => {
    const { sendSigned } = await open()
    await expect(sendSigned(notificationOf({ username: 'a'.repeat(70_000) }))).rejects.toMatchObject({ status: 413 })
  })

  test('needs no signature if verification is off', async () => {
    const { send, rows } = await open({ MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: '0' })
    await send(body, {})
    expect(await rows()).toHaveLength(1)
  })

  test('is verified if the setting for that is absent', async () => {
    const { send } = await open({ MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: '' })
    await expect(send(body, {})).rejects.toMatchObject({ status: 412 })
  })

  test.each([
    ['MARKETPLACE_NOTIFICATION_TOKEN', 'MARKETPLACE_NOTIFICATION_TOKEN'],
    ['MARKETPLACE_API_URL', 'MARKETPLACE_API_URL'],
    ['MARKETPLACE_CERT_ID', 'MARKETPLACE_CERT_ID'],
  ])('without the setting %s is 500, which names it', async (variable, name) => {
    const { sendSigned, rows } = await open({ MARKETPLACE_BASE_URL: 'https://site.test', [variable]: '' })
    await expect(sendSigned(body)).rejects.toMatchObject({ status: 500, detail: expect.stringContaining(name) })
    expect(await rows()).toEqual([])
  })

  test('of the demo marketplace is verified with its key, if no other marketplace is configured', async () => {
    const { sendSigned, server, rows } = await open({ MARKETPLACE_API_URL: '' })
    await sendSigned(body)
    expect(server.keyRequests()).toHaveLength(1)
    expect(await rows()).toHaveLength(1)
  })

  test('is 502 while the API fails, and is accepted when it is sent again later', async () => {
    const { server, sendSigned, rows } = await open()
    server.state.isFailing = true
    await expect(sendSigned(body)).rejects.toMatchObject({ status: 502 })
    server.state.isFailing = false
    await sendSigned(body)
    expect(await rows()).toHaveLength(1)
  })
})

describe('public keys', () => {
  test('are fetched with an application token and cached for an hour', async () => {
    const { server, sendSigned, time } = await open()
    for (let index = 0; index < 3; index += 1) await sendSigned(notificationOf({ username: 'a' }, `n${index}`))
    expect(server.keyRequests()).toEqual([`/commerce/notification/v1/public_key/${keyId}`])
    expect(server.requests[0]?.text).toContain('grant_type=client_credentials')
    time.now = new Date(time.now.getTime() + 3_600_001)
    await sendSigned(notificationOf({ username: 'a' }, 'n4'))
    expect(server.keyRequests()).toHaveLength(2)
  })

  test('simultaneous notifications share one request', async () => {
    const { server, sendSigned } = await open()
    await Promise.all([1, 2, 3].map((index) => sendSigned(notificationOf({ username: 'a' }, `n${index}`))))
    expect(server.keyRequests()).toHaveLength(1)
  })

  test('a sender that leaves does not end the request that others wait for', async () => {
    const { server, sendSigned, rows } = await open()
    const held = Promise.withResolvers<void>()
    server.state.held = held.promise
    const leaving = new AbortController()
    const left = sendSigned(notificationOf({ username: 'a' }, 'n1'), leaving.signal).catch(() => undefined)
    await expect.poll(() => server.requests.length).toBe(1)
    const staying = sendSigned(notificationOf({ username: 'a' }, 'n2'))
    leaving.abort()
    held.resolve()
    await staying
    await left
    expect(await rows()).toContainEqual({ notification_id: 'n2' })
    expect(server.keyRequests()).toHaveLength(1)
  })

  test('unknown ids are requested once in five minutes, and 30 a minute together; then 503', async () => {
    const { server, send, sendSigned, time } = await open()
    await sendSigned(body)
    const sendUnknown = (kid: string) => send(body, { signature: signatureOf(server.privateKey, body, kid) })
    for (let repeats = 0; repeats < 3; repeats += 1)
      await expect(sendUnknown('unknown')).rejects.toMatchObject({ status: 412 })
    expect(server.keyRequests()).toHaveLength(2)
    for (let index = 0; index < 28; index += 1)
      await expect(sendUnknown(`unknown-${index}`)).rejects.toMatchObject({ status: 412 })
    await expect(sendUnknown('one-more')).rejects.toMatchObject({ status: 503, retryAfterSeconds: 60 })
    // The known key is not displaced.
    await sendSigned(notificationOf({ username: 'a' }, 'n2'))
    time.now = new Date(time.now.getTime() + 61_000)
    await expect(sendUnknown('one-more')).rejects.toMatchObject({ status: 412 })
  })
})

describe('the challenge', () => {
  test('is answered in the field that the marketplace expects', async () => {
    const { client } = await open()
    const answer = await client.answerChallenge({ challengeCode: 'code' })
    expect(answer.challengeResponse).toMatch(/^[0-9a-f]{64}$/)
  })

  test('is 500 with the names of the missing settings', async () => {
    const { client } = await open({ MARKETPLACE_NOTIFICATION_TOKEN: '', MARKETPLACE_NOTIFICATION_ENDPOINT: '' })
    await expect(client.answerChallenge({ challengeCode: 'code' })).rejects.toMatchObject({
      status: 500,
      detail: expect.stringMatching(/MARKETPLACE_NOTIFICATION_TOKEN, MARKETPLACE_NOTIFICATION_ENDPOINT/),
    })
  })
})

describe('the health of the webhook', () => {
  test('is ok with all five variables', async () => {
    const { client } = await open()
    expect(await client.getWebhookHealth({})).toEqual({
      status: 'ok',
      endpoint: complete.MARKETPLACE_NOTIFICATION_ENDPOINT,
      signatureVerification: true,
    })
  })

  test('shows that signatures are not verified, and accepts the older names of the credentials', async () => {
    const { client } = await open({
      MARKETPLACE_WEBHOOK_VERIFY_SIGNATURES: '0',
      MARKETPLACE_APP_ID: '',
      MARKETPLACE_CLIENT_ID: 'app',
      MARKETPLACE_CERT_ID: '',
      MARKETPLACE_CLIENT_SECRET: 'cert',
    })
    expect(await client.getWebhookHealth({})).toMatchObject({ status: 'ok', signatureVerification: false })
  })

  test.each(Object.keys(complete))('is 500 without %s, which it names alone', async (variable) => {
    const { client } = await open({ [variable]: '' })
    await expect(client.getWebhookHealth({})).rejects.toMatchObject({
      status: 500,
      detail: `Account deletion notifications are not configured: set ${variable}.`,
    })
  })

  test('names the credentials of the sandbox there', async () => {
    const { client } = await open({ MARKETPLACE_ENV: 'sandbox' })
    await expect(client.getWebhookHealth({})).rejects.toMatchObject({
      detail: expect.stringContaining('set MARKETPLACE_SANDBOX_APP_ID, MARKETPLACE_SANDBOX_CERT_ID.'),
    })
  })
})
