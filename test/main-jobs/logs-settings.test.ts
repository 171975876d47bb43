import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTrellis, type Trellis } from '../support/trellis.ts'

/** A chat-completions server that answers one sentence, and records the key and system prompt of its requests. */
const startModel = async () => {
  const requested: { key: string | undefined; system: string }[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    requested.push({ key: request.headers.authorization, system: body.messages[0].content })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      `data: ${JSON.stringify({ choices: [{ delta: { content: 'Nothing is wrong.' } }] })}\n\ndata: [DONE]\n\n`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requested,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('GET, PATCH /api/settings', () => {
  let trellis: Trellis
  beforeAll(async () => {
    trellis = await startTrellis()
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  const address = (origin: string) => `${origin}/logs/api/settings`
  const get = async (origin = trellis.origin) =>
    (await (await fetch(address(origin))).json()) as Record<string, unknown>
  const patch = async (settings: unknown) => {
    const response = await fetch(address(trellis.origin), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(settings),
    })
    return { status: response.status, text: await response.text() }
  }

  test('a PATCH changes only the named settings and is visible at every edge', async () => {
    const before = await get()
    expect(before).toMatchObject({ tech_level: 'sysadmin', jira_issue_type: 'Bug', llm_api_key: '', jira_token: '' })
    const changed = await patch({ jira_token: 'hunter2', jira_url: 'https://jira.example', router_source_ids: ['r1'] })
    expect(changed.status).toBe(200)
    expect(changed.text).not.toContain('hunter2')
    for (const origin of trellis.origins)
      expect(await get(origin)).toEqual({
        ...before,
        jira_token: '***',
        jira_url: 'https://jira.example',
        router_source_ids: ['r1'],
      })
    await patch({ jira_token: null, jira_url: null, router_source_ids: [] })
    expect(await get()).toEqual(before)
  })

  test('400: blocklist settings where device_names is malformed JSON', async () => {
    const { status, text } = await patch({ device_names: '{"192.168.1.20": ', tech_level: 'executive' })
    expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('device_names') })
    expect(await get()).toMatchObject({ device_names: '{}', tech_level: 'sysadmin' })
  })

  test.each([
    ['an unknown name', { colour: 'blue' }],
    ['a value of another type', { router_source_ids: 'router' }],
    ['an unknown enum value', { tech_level: 'wizard' }],
    ['an invalid address', { llm_base_url: 'not an address' }],
  ])('%s is 422', async (_, settings) => {
    expect((await patch(settings)).status).toBe(422)
  })

  test('diagnoses use the configured model with its key and the prompt of the tech_level', async () => {
    await using model = await startModel()
    const changed = await patch({ llm_base_url: model.baseUrl, llm_api_key: 'of-settings', tech_level: 'executive' })
    expect(changed.status).toBe(200)
    const diagnose = async (llm?: object) => {
      const response = await fetch(`${trellis.origin}/logs/api/diagnose`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'what is wrong?', ...(llm && { llm }) }),
      })
      return (await response.json()) as { summary: { text: string; source: string } }
    }
    expect((await diagnose()).summary).toMatchObject({ text: 'Nothing is wrong.', source: 'llm' })
    await diagnose({ base_url: model.baseUrl })
    expect(model.requested.map(({ key }) => key)).toEqual(['Bearer of-settings', undefined])
    expect(model.requested[0]?.system).toContain('without technical knowledge')
    await patch({ llm_base_url: null, llm_api_key: null, tech_level: null })
    expect((await diagnose()).summary.source).toBe('rules')
  })
})
