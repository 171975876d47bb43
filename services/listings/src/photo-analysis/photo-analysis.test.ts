import type { Caller } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import type { TrustScore } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { type Behaviour, delta, done, ended, serveChat } from '@trellis/test/support/chat-server'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import type { Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenService, openService } from '../../test/open-service.ts'
import { follow, local, request } from '../../test/searches.ts'
import { type ListingsTables, migrations } from '../schemas.ts'

const analysis = { is_stock_photo: false, visible_damage: true, authenticity_signal: 'unclear', confidence: 'low' }
const streamed = (text: string): string => delta(text) + ended('stop') + done

const suite = 'listings/photo-analysis'
describe.each(drawnBackend(databases, suite))('photo analysis on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('after a search', () => {
    let database: RunningDatabase
    let opened: AsyncDisposableStack
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database[Symbol.asyncDispose]())
    afterEach(() => opened.disposeAsync())

    const open = async (environment: Record<string, string> = {}) => {
      opened = new AsyncDisposableStack()
      const { location } = opened.use(await database.place({ name: 'listings', migrations }))
      const store = { ...location, name: 'listings', migrations, log: silentLog }
      const { db } = opened.use(await openStore<ListingsTables>(store))
      const service = await openService(location, { LISTINGS_PHOTO_WAIT_SECONDS: '60', ...environment })
      opened.defer(service.close)
      return { ...service, db }
    }

    const tasks = (db: Kysely<ListingsTables>) => db.selectFrom('background_tasks').selectAll().orderBy('id').execute()
    const allEnded = async (db: Kysely<ListingsTables>, status = 'completed') =>
      expect.poll(async () => new Set((await tasks(db)).map((row) => row.status))).toEqual(new Set([status]))

    /** A whole search, followed to its end; returns its listings and updates. */
    const search = async ({ client }: Pick<OpenService, 'client'>, q: string, caller: Caller = local) => {
      const { sessionId } = await client.searchAsync(request({ q }), { caller })
      const frames = await follow(client, sessionId)
      const listings = frames.flatMap((frame) => (frame.$case === 'listings' ? frame.value.listings : []))
      return { frames, listings }
    }
    const scoreOf = async ({ client }: Pick<OpenService, 'client'>, platformListingId: string): Promise<TrustScore> => {
      const { trustScore } = await client.getListing({ platformListingId }, { caller: local })
      if (!trustScore) throw new Error('The listing has no score.')
      return trustScore
    }

    test('flags the demo listings whose photos were copied, with the original as evidence, in updates of the stream', async () => {
      const service = await open()
      const { frames, listings } = await search(service, 'synthesizer')
      expect(frames.at(-1)).toMatchObject({ $case: 'done' })
      await allEnded(service.db)
      const copies = listings.filter(({ photoUrls }) => photoUrls[0]?.includes('-copy'))
      expect(copies.length).toBeGreaterThan(0)
      const byPhoto = new Map(listings.map((listing) => [listing.photoUrls[0], listing]))
      let pairs = 0
      for (const copy of copies) {
        const original = byPhoto.get(copy.photoUrls[0]?.replace(/-copy\d+/, ''))
        if (original === undefined) continue
        pairs += 1
        for (const [one, other] of [
          [copy, original],
          [original, copy],
        ] as const) {
          const score = await scoreOf(service, one.platformListingId)
          expect(score).toMatchObject({ photoHashDuplicate: true })
          expect(score.softFlags).toContain('duplicate_photo')
          const evidence = score.evidence.find(({ signal }) => signal === 'duplicate_photo')
          expect(evidence?.text).toContain(`"${other.title}" (${other.platformListingId})`)
          const updates = frames.flatMap((frame) =>
            frame.$case === 'update' && frame.value.platformListingId === one.platformListingId
              ? [frame.value.trustScore?.photoHashDuplicate]
              : [],
          )
          expect(updates.at(-1)).toBe(true)
        }
      }
      expect(pairs).toBeGreaterThan(0)
    })

    test('is done once for each photo: a repeated search queues nothing, and keeps the flags', async () => {
      const service = await open()
      await search(service, 'synthesizer')
      await allEnded(service.db)
      const before = await tasks(service.db)
      const flagged = await service.db.selectFrom('photo_hashes').selectAll().orderBy('id').execute()
      const again = await search(service, 'synthesizer')
      expect(before.length).toBe(again.listings.length)
      expect(await tasks(service.db)).toEqual(before)
      expect(await service.db.selectFrom('photo_hashes').selectAll().orderBy('id').execute()).toEqual(flagged)
    })

    test('needs the feature: below the paid tier nothing is queued', async () => {
      const service = await open()
      const caller: Caller = { userId: 'ada', kind: 'account', tier: 'free' }
      const answer = await service.client.search(request({ q: 'synthesizer' }), { caller })
      expect(answer.listings.length).toBeGreaterThan(0)
      expect(await tasks(service.db)).toEqual([])
    })

    /** The service with a model that sees photos. */
    const openWithModel = async (behave: Behaviour) => {
      const bodies: string[] = []
      const server = await serveChat((response, body, authorization) => {
        bodies.push(body)
        behave(response, body, authorization)
      })
      const service = await open({ LLM_BASE_URL: server.baseUrl, LLM_MODEL: 'small', LLM_VISION_MODEL: 'sees' })
      opened.use(server)
      return { ...service, bodies }
    }

    test('shows each photo to the model once, stores its JSON with the score, and publishes it', async () => {
      const service = await openWithModel((response) => response.end(streamed(JSON.stringify(analysis))))
      const { listings, frames } = await search(service, 'rancilio')
      await allEnded(service.db)
      expect(listings.length).toBeGreaterThan(0)
      for (const { platformListingId } of listings) {
        const { photoAnalysisJson } = await scoreOf(service, platformListingId)
        expect(JSON.parse(photoAnalysisJson ?? '')).toEqual(analysis)
      }
      expect(frames.some((frame) => frame.$case === 'update' && frame.value.trustScore?.photoAnalysisJson)).toBe(true)
      expect(service.bodies).toHaveLength(listings.length)
      const { model, messages } = JSON.parse(service.bodies[0] ?? '')
      expect(model).toBe('sees')
      expect(messages[1].content[0].text).toContain('Rancilio')
      expect(messages[1].content[1].image_url.url).toMatch(/^data:image\/png;base64,iVBORw0KGgo/)
      await search(service, 'rancilio')
      expect(service.bodies).toHaveLength(listings.length)
      const [first] = listings
      expect((await scoreOf(service, first?.platformListingId ?? '')).photoAnalysisJson).toBe(JSON.stringify(analysis))
    })

    test('stores an answer that is no JSON as it is, and reads JSON in a code fence', async () => {
      let answers = 0
      const service = await openWithModel((response) =>
        response.end(streamed(answers++ === 0 ? 'Looks fine.' : `\`\`\`json\n${JSON.stringify(analysis)}\n\`\`\``)),
      )
      await search(service, 'rancilio')
      await allEnded(service.db)
      const rows = await service.db.selectFrom('trust_scores').select('photo_analysis_json').execute()
      const stored = rows.map(({ photo_analysis_json }) => photo_analysis_json)
      expect(stored).toContain(JSON.stringify({ raw_response: 'Looks fine.', parse_error: true }))
      expect(new Set(stored).size).toBe(2)
    })

    test('fails with the reason of the model, and is queued again by the next search', async () => {
      let isBroken = true
      const service = await openWithModel((response) => {
        if (isBroken) response.writeHead(500).end('{"error": {"message": "out of memory"}}')
        else response.end(streamed(JSON.stringify(analysis)))
      })
      const { listings } = await search(service, 'rancilio')
      await allEnded(service.db, 'failed')
      const failed = await tasks(service.db)
      expect(failed).toHaveLength(listings.length)
      for (const { error, stage } of failed)
        expect([error, stage]).toEqual([expect.stringContaining('out of memory'), 'vision'])
      isBroken = false
      await search(service, 'rancilio')
      await allEnded(service.db)
      expect(service.bodies).toHaveLength(2 * listings.length)
    })

    test('continues after a restart with the tasks that were queued and running', async () => {
      opened = new AsyncDisposableStack()
      const { location } = opened.use(await database.place({ name: 'listings', migrations }))
      const store = { ...location, name: 'listings', migrations, log: silentLog }
      const { db } = opened.use(await openStore<ListingsTables>(store))
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
      const stalling = opened.use(await serveChat(() => reach()))
      const first = await openService(location, { LLM_BASE_URL: stalling.baseUrl, LLM_VISION_MODEL: 'sees' })
      const { listings } = await first.client.search(request({ q: 'rancilio' }), { caller: local })
      await reached
      await first.close()
      expect((await tasks(db)).map(({ status }) => status)).toContain('running')
      const answering = opened.use(await serveChat((response) => response.end(streamed(JSON.stringify(analysis)))))
      const second = await openService(location, { LLM_BASE_URL: answering.baseUrl, LLM_VISION_MODEL: 'sees' })
      opened.defer(second.close)
      await allEnded(db)
      for (const { platformListingId } of listings)
        expect((await scoreOf(second, platformListingId)).photoAnalysisJson).toBe(JSON.stringify(analysis))
    })
  })
})
