import type { Caller } from '@trellis/kit/rpc'
import { CategoriesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/categories.ts'
import { QueryBuilderServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/query_builder.ts'
import { type Behaviour, delta, done, ended, serveChat } from '@trellis/test/support/chat-server'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import { drawnBackend } from '@trellis/test/support/exploration'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openService } from '../../test/open-service.ts'
import { local } from '../../test/searches.ts'
import { migrations } from '../schemas.ts'

const answer = {
  base_query: 'thinkpad',
  must_include_mode: 'all',
  must_include: '16gb',
  must_exclude: '',
  max_price: 400,
  min_price: null,
  condition: ['used'],
  category_id: '175672',
  explanation: 'Used ThinkPads up to 400.',
}
const streamed = (text: string): string => [...text].map(delta).join('') + ended('stop') + done

let database: RunningDatabase

let opened: AsyncDisposableStack
afterEach(() => opened?.disposeAsync())

/** The service with a model of scripted behaviour; `bodies` has the bodies of its requests. */
const open = async (behave: Behaviour, environment: Record<string, string> = {}) => {
  opened = new AsyncDisposableStack()
  const bodies: { messages: { role: string; content: string }[]; model: string }[] = []
  const authorizations: (string | undefined)[] = []
  const server = opened.use(
    await serveChat((response, body, authorization) => {
      bodies.push(JSON.parse(body))
      authorizations.push(authorization)
      behave(response, body, authorization)
    }),
  )
  const place = opened.use(await database.place({ name: 'listings', migrations }))
  const service = await openService(place.location, {
    LLM_BASE_URL: server.baseUrl,
    LLM_MODEL: 'small',
    LLM_API_KEY: 'secret',
    ...environment,
  })
  opened.defer(service.close)
  const client = service.connect(QueryBuilderServiceDefinition)
  const categories = service.connect(CategoriesServiceDefinition)
  const countCategories = async () => (await categories.listCategories({}, { caller: local })).categories.length
  await expect.poll(countCategories).toBeGreaterThan(0)
  const build = (naturalLanguage: string, caller: Caller = local, signal?: AbortSignal) =>
    client.buildSearch({ naturalLanguage }, { caller, ...(signal ? { signal } : {}) })
  return { build, bodies, authorizations }
}

describe.each(drawnBackend(databases, 'listings/query-builder'))(
  'building a search on $name',
  ({ isMissing, start }) => {
    describe.skipIf(isMissing)('with it', () => {
      beforeAll(async () => {
        database = await start()
      })
      afterAll(() => database[Symbol.asyncDispose]())

      test('sends the model the trimmed text, fitting categories and the key, and returns nine fields', async () => {
        const { build, bodies, authorizations } = await open((response) =>
          response.end(streamed(JSON.stringify(answer))),
        )
        expect(await build('  a used laptop under 400  ')).toMatchObject({
          baseQuery: 'thinkpad',
          mustIncludeMode: 'all',
          mustInclude: '16gb',
          mustExclude: '',
          maxPrice: 400,
          condition: ['used'],
          categoryId: '175672',
          explanation: 'Used ThinkPads up to 400.',
        })
        expect(bodies).toHaveLength(1)
        const [system, user] = bodies[0]?.messages ?? []
        expect(user).toEqual({ role: 'user', content: 'a used laptop under 400' })
        expect(system?.content).toContain(
          '175672: Computers/Tablets & Networking > Laptops & Netbooks > PC Laptops & Netbooks',
        )
        expect(system?.content).not.toContain('Wristwatches')
        expect([bodies[0]?.model, authorizations]).toEqual(['small', ['Bearer secret']])
      })

      test('offers the first categories by name if none fits', async () => {
        const { build, bodies } = await open((response) => response.end(streamed(JSON.stringify(answer))))
        await build('qwertz 100%')
        expect(bodies[0]?.messages[0]?.content).toContain('31387: Jewelry & Watches > Watches > Wristwatches')
      })

      test('is 402 below the paid tier', async () => {
        const { build, bodies } = await open((response) => response.end())
        await expect(build('a laptop', { userId: 'ada', kind: 'account', tier: 'free' })).rejects.toMatchObject({
          status: 402,
        })
        await expect(build('a laptop', { userId: 'guest:1', kind: 'guest', tier: 'free' })).rejects.toMatchObject({
          status: 402,
        })
        expect(bodies).toHaveLength(0)
      })

      test('is 503 without a model', async () => {
        const { build } = await open((response) => response.end(), { LLM_BASE_URL: '' })
        await expect(build('a laptop')).rejects.toMatchObject({
          status: 503,
          detail: expect.stringContaining('set LLM_BASE_URL'),
        })
      })

      const failing: Record<string, Behaviour> = {
        'refuses the key': (response) => response.writeHead(401).end('{"error": {"message": "wrong key"}}'),
        'breaks off in mid-answer': (response) => {
          response.write(delta('{"base_query"'), () => response.destroy())
        },
        'closes without an answer': (response) => response.end(done),
        'sends an error in its stream': (response) => response.end('data: {"error": {"message": "out of memory"}}\n\n'),
        'never stops': (response) => response.end(streamed('x'.repeat(9_000))),
        'is no chat-completions server': (response) =>
          response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>'),
      }
      test.each(Object.entries(failing))('is 503 if the model %s', async (_what, behave) => {
        const { build } = await open(behave)
        await expect(build('a laptop')).rejects.toMatchObject({ status: 503, detail: expect.stringMatching(/model/i) })
      })

      const useless: Record<string, string> = {
        'prose in place of JSON': 'I would search for a ThinkPad.',
        'JSON in a code fence': `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``,
        'half an object': JSON.stringify(answer).slice(0, 40),
        'no query': JSON.stringify({ ...answer, base_query: '' }),
        'a price that is none': JSON.stringify({ ...answer, max_price: 'cheap' }),
      }
      test.each(Object.entries(useless))('is 422 with the raw answer for %s', async (_what, raw) => {
        const { build } = await open((response) => response.end(streamed(raw)))
        await expect(build('a laptop')).rejects.toMatchObject({
          status: 422,
          detail: { message: expect.stringContaining('cannot be used'), raw },
        })
      })

      test('hides the thinking of the model and ignores a category that it invented', async () => {
        const text = `<think>A laptop, so...</think>${JSON.stringify({ ...answer, category_id: '12', condition: ['mint'] })}`
        const { build } = await open((response) => response.end(streamed(text)))
        const { categoryId, condition } = await build('a laptop')
        expect([categoryId ?? null, condition]).toEqual([null, []])
      })

      test('accepts a server that does not stream', async () => {
        const { build } = await open((response) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(answer) } }] })),
        )
        expect(await build('a laptop')).toMatchObject({ baseQuery: 'thinkpad' })
      })

      test('ends the request to the model when the caller leaves', async () => {
        const { promise: left, resolve } = Promise.withResolvers<void>()
        const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
        const { build } = await open((response) => {
          response.once('close', resolve)
          response.write(delta('{'), () => arrive())
        })
        const caller = new AbortController()
        const building = build('a laptop', local, caller.signal)
        await arrived
        caller.abort()
        await expect(building).rejects.toThrow()
        await left
      })
    })
  },
)
