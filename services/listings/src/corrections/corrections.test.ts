import { connectInProcess } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import {
  type AddCorrectionRequest,
  CorrectionRating,
  CorrectionsServiceDefinition,
} from '@trellis/protos/ts/trellis/listings/v1/corrections.ts'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, anonymous, guest } from '../../test/callers.ts'
import { type ListingsTables, listingsSchema } from '../schemas.ts'
import { correctionsRpc } from './rpc.ts'
import { insertCorrection } from './store.ts'

const correction: Partial<AddCorrectionRequest> = {
  itemId: '130000000001',
  product: 'another name',
  correctionType: 'damage',
  inputText: 'Camera with a scratched lens',
  originalOutput: 'no damage',
  correctedOutput: 'scratch_dent',
  context: '{"model": "x"}',
}

const anna = { caller: account('anna') }

describe.each(databases)('corrections on $name', ({ start, isMissing }) => {
  let database: RunningDatabase
  beforeAll(async () => {
    if (!isMissing) database = await start()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  const open = async () => {
    const stack = new AsyncDisposableStack()
    const { location } = stack.use(await database.place(listingsSchema))
    const { db } = stack.use(await openStore<ListingsTables>({ ...location, ...listingsSchema }))
    const now = () => new Date('2026-03-01T09:15:02.000Z')
    const client = connectInProcess(CorrectionsServiceDefinition, correctionsRpc({ db, now }))
    return { db, client, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  const exported = async ({ client }: Opened, optedInOnly?: boolean) => {
    let head: Extract<ByteFrame['frame'], { $case: 'head' }>['value'] | undefined
    const chunks: Uint8Array[] = []
    for await (const { frame } of client.exportCorrections(optedInOnly === undefined ? {} : { optedInOnly }, anna)) {
      if (frame?.$case === 'head') head = frame.value
      if (frame?.$case === 'chunk') chunks.push(frame.value)
    }
    const lines = Buffer.concat(chunks).toString().split('\n')
    return { head, lines: lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>) }
  }

  test.skipIf(isMissing)(
    'a correction is stored with the name of this service, and listed for other users',
    async () => {
      await using opened = await open()
      const saved = await opened.client.addCorrection(correction, anna)
      expect(saved.saved).toBe(true)
      const { corrections, nextCursor } = await opened.client.listCorrections({}, { caller: account('ben') })
      expect(corrections).toEqual([
        {
          id: saved.id,
          itemId: '130000000001',
          product: 'listings',
          correctionType: 'damage',
          inputText: 'Camera with a scratched lens',
          originalOutput: 'no damage',
          correctedOutput: 'scratch_dent',
          rating: 'down',
          context: '{"model":"x"}',
          optedIn: false,
          createdAt: '2026-03-01T09:15:02.000Z',
        },
      ])
      expect(nextCursor ?? null).toBeNull()
    },
  )

  test.skipIf(isMissing)('the rating down needs a corrected output, the rating up does not', async () => {
    await using opened = await open()
    const blank = { ...correction, correctedOutput: '  ' }
    await expect(opened.client.addCorrection(blank, anna)).rejects.toMatchObject({ status: 422 })
    await expect(opened.client.addCorrection({ ...blank, rating: CorrectionRating.DOWN }, anna)).rejects.toThrow(
      'corrected_output',
    )
    await opened.client.addCorrection({ ...blank, rating: CorrectionRating.UP }, anna)
    const { corrections } = await opened.client.listCorrections({}, anna)
    expect(corrections.map(({ rating }) => rating)).toEqual(['up'])
  })

  test.skipIf(isMissing).each([
    ['a blank type', { correctionType: ' ' }],
    ['a blank input', { inputText: '\n' }],
    ['a list as context', { context: '[]' }],
    ['a context that is too large', { context: JSON.stringify({ text: 'x'.repeat(9_000) }) }],
    ['text that no database stores', { inputText: 'a\0b' }],
  ])('%s is 422', async (_what, change) => {
    await using opened = await open()
    await expect(opened.client.addCorrection({ ...correction, ...change }, anna)).rejects.toMatchObject({ status: 422 })
  })

  test.skipIf(isMissing)('guests may send corrections; only the signed-in may read or export them', async () => {
    await using opened = await open()
    const { client } = opened
    await expect(client.addCorrection(correction, { caller: anonymous })).rejects.toMatchObject({ status: 403 })
    await client.addCorrection(correction, { caller: guest('1') })
    for (const caller of [anonymous, guest('1')]) {
      await expect(client.listCorrections({}, { caller })).rejects.toMatchObject({ status: 403 })
      const frames = client.exportCorrections({}, { caller })
      await expect(frames[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 403 })
    }
    expect((await client.listCorrections({}, anna)).corrections).toHaveLength(1)
  })

  test.skipIf(isMissing)('the list pages from the newest to the oldest, with clamped limits', async () => {
    await using opened = await open()
    const ids: number[] = []
    for (const optedIn of [true, false, true, false, true])
      ids.push((await opened.client.addCorrection({ ...correction, optedIn }, anna)).id)
    const listed: number[] = []
    let cursor: string | undefined
    do {
      const page = await opened.client.listCorrections({ limit: 2, ...(cursor === undefined ? {} : { cursor }) }, anna)
      listed.push(...page.corrections.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(listed).toEqual(ids.toReversed())
    expect((await opened.client.listCorrections({ limit: 0 }, anna)).corrections).toHaveLength(1)
    expect((await opened.client.listCorrections({ limit: 5_000 }, anna)).corrections).toHaveLength(5)
    expect((await opened.client.listCorrections({ optedInOnly: true }, anna)).corrections).toHaveLength(3)
    await expect(opened.client.listCorrections({ cursor: 'x' }, anna)).rejects.toMatchObject({ status: 422 })
  })

  test.skipIf(isMissing)(
    'the export streams lines from the oldest to the newest, by default those opted in',
    async () => {
      await using opened = await open()
      const row = (index: number) => ({
        user_id: 'anna',
        by_guest: 0,
        item_id: String(index),
        product: 'listings',
        correction_type: 'damage',
        input_text: 'in',
        original_output: 'out',
        corrected_output: 'right',
        rating: 'down' as const,
        context_json: '{"n":1}',
        opted_in: index % 2,
        created_at: '2026-03-01T09:15:02.000Z',
      })
      const rows = Array.from({ length: 450 }, (_, index) => row(index))
      await opened.db.insertInto('corrections').values(rows).execute()
      const { head, lines } = await exported(opened)
      expect(head).toMatchObject({
        mediaType: 'application/x-ndjson',
        filename: 'corrections_listings_20260301T091502Z.jsonl',
      })
      expect(lines).toHaveLength(225)
      expect(lines[0]).toEqual({
        input: 'in',
        output: 'out',
        correction: 'right',
        rating: 'down',
        correction_type: 'damage',
        product: 'listings',
        item_id: '1',
        context: { n: 1 },
        created_at: '2026-03-01T09:15:02.000Z',
      })
      expect(lines.at(-1)?.item_id).toBe('449')
      const all = await exported(opened, false)
      expect(all.lines.map(({ item_id }) => Number(item_id))).toEqual(Array.from({ length: 450 }, (_, index) => index))
    },
  )

  test.skipIf(isMissing)(
    'the oldest corrections of a user, and of all guests, are deleted beyond the limits',
    async () => {
      await using opened = await open()
      const limits = { user: 2, guests: 3 }
      const send = (user: string, by_guest: number, item_id: string) =>
        insertCorrection(
          opened.db,
          {
            user_id: user,
            by_guest,
            item_id,
            product: 'listings',
            correction_type: 'damage',
            input_text: 'in',
            original_output: 'out',
            corrected_output: 'right',
            rating: 'down',
            context_json: '{}',
            opted_in: 0,
            created_at: '2026-03-01T09:15:02.000Z',
          },
          limits,
        )
      for (const item of ['a1', 'a2', 'a3']) await send('anna', 0, item)
      for (const item of ['g1', 'g2', 'g3', 'g4']) await send(`guest:${item}`, 1, item)
      const { corrections } = await opened.client.listCorrections({}, anna)
      expect(corrections.map(({ itemId }) => itemId)).toEqual(['g4', 'g3', 'g2', 'a3', 'a2'])
    },
  )
})
