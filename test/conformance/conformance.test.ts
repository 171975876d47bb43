import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSeed, runs, runsOrWhole, sample } from '../support/exploration.ts'
import { form, startTrellis, type Trellis } from '../support/trellis.ts'
import { anyText, anything, fitting, spoilt } from './arbitrary.ts'
import { document, misfits, type Route, routes } from './document.ts'
import { type Answer, adminKey, documentedSchema, type Input, send, webhookEnvironment } from './send.ts'

/** Random requests per route; fewer on the distributed form, which validates them with the same code. */
const requests = runs(form === 'distributed' ? 8 : 16)

/** The routes that get random requests: a sample, and with a factor of 10 all of them. */
const fuzzed = sample(routes, runsOrWhole(form === 'distributed' ? 30 : 60, routes.length), 'random requests')

const always = [400, 404, 405, 413, 415, 422, 429]

const parametersIn = ({ operation }: Route, place: string) =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === place)

const exampleOf = (route: Route): Input => {
  const values = (place: string) =>
    Object.fromEntries(
      parametersIn(route, place)
        .filter((parameter) => parameter.required || parameter.example !== undefined)
        .map(({ name, example }) => [name, String(example ?? 'x')]),
    )
  const json = route.operation.requestBody?.content['application/json']
  return {
    path: values('path'),
    query: values('query'),
    headers: json ? { 'content-type': 'application/json' } : {},
    ...(json ? { body: JSON.stringify(json.example) } : {}),
  }
}

const multipart = (fields: Record<string, unknown>, content: Uint8Array): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (name !== 'file') form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), 'file.bin')
  return form
}

/** Requests for a route, from valid to completely invalid. */
const inputs = (route: Route): fc.Arbitrary<Input> => {
  const texts = (place: string) =>
    fc.record(
      Object.fromEntries(
        parametersIn(route, place).map(({ name, schema }) => [name, fc.oneof(fitting(schema).map(String), anyText)]),
      ),
      {
        requiredKeys: parametersIn(route, place)
          .filter(({ required }) => required)
          .map(({ name }) => name),
      },
    ) as fc.Arbitrary<Record<string, string>>
  const content = route.operation.requestBody?.content ?? {}
  const body: fc.Arbitrary<Pick<Input, 'body' | 'headers'>> = (() => {
    const json = content['application/json']
    if (json) {
      const good = fc.oneof(fitting(json.schema ?? {}), spoilt(json.schema ?? {}), anything)
      return fc.oneof(
        {
          weight: 8,
          arbitrary: good.map((value) => ({
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(value),
          })),
        },
        { weight: 1, arbitrary: anyText.map((body) => ({ headers: { 'content-type': 'application/json' }, body })) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(anyText, fc.constantFrom('text/plain', 'application/xml', 'x'))
            .map(([body, type]) => ({ headers: { 'content-type': type }, body })),
        },
      )
    }
    const form = content['multipart/form-data']
    if (form) {
      return fc
        .tuple(spoilt(form.schema ?? {}), fc.uint8Array({ maxLength: 5_000 }))
        .map(([fields, bytes]) => ({ headers: {}, body: multipart((fields ?? {}) as Record<string, unknown>, bytes) }))
    }
    const [type] = Object.keys(content)
    if (!type) return fc.constant({ headers: {} })
    return fc
      .uint8Array({ maxLength: 2_000 })
      .map((bytes) => ({ headers: { 'content-type': type }, body: bytes as Uint8Array<ArrayBuffer> }))
  })()
  return fc.tuple(texts('path'), texts('query'), texts('header'), body).map(([path, query, headers, sent]) => ({
    path,
    query,
    ...sent,
    headers: { ...headers, ...sent.headers },
  }))
}

const check = (route: Route, answer: Answer) => {
  const documented = Object.keys(route.operation.responses).map(Number)
  expect([...documented, ...always], `${answer.status}: ${answer.text.slice(0, 300)}`).toContain(answer.status)
  expect(answer.headers.get('x-request-id')).toBeTruthy()
  if (answer.mediaType !== 'application/json') return
  const body: unknown = JSON.parse(answer.text)
  const schema = answer.status >= 400 ? { $ref: '#/components/schemas/Error' } : documentedSchema(route, answer.status)
  if (schema) expect(misfits(schema, body), answer.text.slice(0, 500)).toEqual([])
  if (answer.status === 422) expect(namesFields(body), answer.text.slice(0, 500)).toBe(true)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Whether a 422 names the invalid fields; that of the query builder contains the model's raw answer instead. */
const namesFields = (body: unknown): boolean => {
  const detail = isRecord(body) ? body.detail : undefined
  if (isRecord(detail) && 'raw' in detail) return true
  return (
    Array.isArray(detail) &&
    detail.length > 0 &&
    detail.every((field) => isRecord(field) && Array.isArray(field.loc) && 'msg' in field && 'type' in field)
  )
}

/** The parts of a request (`path`, `query`, `body`) that a 422 names. */
const refusedPlaces = (text: string): unknown[] => {
  const { detail } = JSON.parse(text) as { detail: { loc?: unknown[] }[] }
  return detail.map(({ loc }) => loc?.[0])
}

describe('the API document', () => {
  test('the document is valid OpenAPI 3.1 according to an independent validator', async () => {
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })

  test('each JSON body and answer has an example that fits its schema', () => {
    for (const { path, method, operation } of routes) {
      const medias = [
        operation.requestBody?.content,
        ...Object.values(operation.responses).map(({ content }) => content),
      ]
      for (const media of medias) {
        const json = media?.['application/json']
        if (!json?.schema || JSON.stringify(json.schema).includes('/Error"')) continue
        expect(misfits(json.schema, json.example), `${method} ${path}`).toEqual([])
      }
    }
  })
})

const shared = [400, 403, 408, 421, 429, 431]

describe('the operations of the API document', () => {
  test('every request body and every text answer has an example', () => {
    for (const { path, method, operation } of routes) {
      const answers = Object.entries(operation.responses).filter(([status]) => status < '300')
      const medias = [operation.requestBody?.content, ...answers.map(([, { content }]) => content)]
      for (const media of medias)
        for (const [type, { example }] of Object.entries(media ?? {}))
          if (!/^(audio|image)\//.test(type)) expect(example, `${method} ${path} ${type}`).toBeDefined()
    }
  })

  test('operations declare the statuses of the edge itself, and 422 if they have a body', () => {
    for (const { path, method, operation } of routes) {
      const declared = Object.keys(operation.responses).map(Number)
      expect(declared, `${method} ${path}`).toEqual(expect.arrayContaining(shared))
      if (operation.requestBody) expect(declared, `${method} ${path}`).toContain(422)
    }
  })
})

describe('every route of the API document', () => {
  let trellis: Trellis
  beforeAll(async () => {
    // A low limit, because each branch is a process.
    trellis = await startTrellis({
      SERVICE_ORCHARD_ADMIN_KEY: adminKey,
      BRANCH_LIMIT: '3',
      // The folder of the example's key.
      SERVICE_SSH_KEY_DIRS: '/home/ann/.ssh',
      ...webhookEnvironment,
    })
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  test('the served document contains every route', async () => {
    const served = (await (await fetch(`${trellis.origin}/openapi.json`)).json()) as { paths: object }
    expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths))
  })

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s answers its example as documented',
    async (_name, route) => {
      const answer = await send(trellis.origin, route, exampleOf(route))
      check(route, answer)
      expect(answer.status, answer.text).not.toBe(405)
      expect(answer.status, answer.text).not.toBe(500)
      // Ids of the example do not exist, but its body is right.
      if (answer.status === 422) expect(refusedPlaces(answer.text), answer.text).not.toContain('body')
    },
  )

  test.each(fuzzed.map((route) => [`${route.method} ${route.path}`, route] as const))(
    `%s answers random requests with documented statuses, never 500 (TEST_SEED=${runSeed})`,
    async (_name, route) => {
      await fc.assert(
        fc.asyncProperty(inputs(route), async (input) => {
          const answer = await send(trellis.origin, route, input)
          check(route, answer)
          expect(answer.status, answer.text.slice(0, 500)).not.toBe(500)
        }),
        { numRuns: requests, seed: runSeed, endOnFailure: true, interruptAfterTimeLimit: 20_000 },
      )
    },
  )

  test('other methods of a path are refused with 405', async () => {
    for (const { path } of routes) {
      const known = new Set(routes.filter((route) => route.path === path).map(({ method }) => method))
      const other = ['PUT', 'PATCH', 'DELETE', 'POST'].find((method) => !known.has(method))
      if (!other) continue
      const response = await fetch(`${trellis.origin}${path.replaceAll(/\{[a-z0-9_]+\}/g, 'x')}`, { method: other })
      expect(response.status, `${other} ${path}`).toBe(405)
      expect(response.headers.get('allow')?.split(', '), path).toEqual(expect.arrayContaining([...known]))
    }
  })

  test('the process is still healthy and has logged no errors', async () => {
    expect((await fetch(`${trellis.origin}/health`)).status).toBe(200)
    expect(trellis.output()).not.toContain('"level":"error"')
  })
})
