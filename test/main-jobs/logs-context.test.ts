import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTrellis, type Trellis } from '../support/trellis.ts'

describe('the context, mounted under {prefix}/api/context', () => {
  let trellis: Trellis
  beforeAll(async () => {
    trellis = await startTrellis()
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  /** Requests go to the edges in turn. */
  let turn = 0
  const send = async (method: string, path: string, body?: unknown) => {
    const origin = trellis.origins[turn++ % trellis.origins.length]
    const isForm = body instanceof FormData
    const response = await fetch(`${origin}/logs/api/context${path}`, {
      method,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, read where a test knows which
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as any }
  }

  test('POST, GET, DELETE /docs', async () => {
    const doc = { title: 'Restoring', text: '# Restoring\n\nStop the containers first.', tags: ['backup'] }
    const made = await send('POST', '/docs', doc)
    expect(made).toMatchObject({ status: 201, body: { ...doc, chunk_count: 1, created_at: expect.any(String) } })
    expect(await send('POST', '/docs', doc)).toMatchObject({ status: 200, body: { id: made.body.id } })
    expect((await send('GET', '/docs')).body.docs).toMatchObject([{ id: made.body.id }])
    expect((await send('GET', `/docs/${made.body.id}`)).body.text).toBe(doc.text)
    expect((await send('DELETE', `/docs/${made.body.id}`)).status).toBe(204)
    expect((await send('DELETE', `/docs/${made.body.id}`)).status).toBe(404)
    await send('POST', '/docs', doc)
    expect((await send('DELETE', '/docs')).status).toBe(422)
    expect((await send('DELETE', '/docs?all=true')).body).toEqual({ deleted: 1 })
  })

  test('what is answered has the text that is stored, also of surrogates that stand alone', async () => {
    const made = await send('POST', '/docs', { title: 'broken \uD800', text: 'half \uDC00 a pair' })
    expect(made).toMatchObject({ status: 201, body: { title: 'broken \uFFFD', text: 'half \uFFFD a pair' } })
    expect((await send('GET', `/docs/${made.body.id}`)).body).toEqual(made.body)
    await send('DELETE', `/docs/${made.body.id}`)
  })

  test('an upload of context documents stores them; it is never a 500', async () => {
    const form = (name: string, content: string | Uint8Array) => {
      const made = new FormData()
      made.append('tags', 'network, home')
      made.append('file', new Blob([content as string]), name)
      return made
    }
    const { status, body } = await send(
      'POST',
      '/docs/upload',
      form('network.md', '# Network\n\nVLAN 20 is for cameras.'),
    )
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { docs: [{ title: 'Network', tags: ['network', 'home'] }] },
    })
    expect((await send('GET', '/debug/search?q=which+vlan+have+the+cameras')).body.chunks).toMatchObject([
      { doc_id: body.docs[0].id, text: expect.stringContaining('VLAN 20'), score: expect.any(Number) },
    ])
    expect((await send('POST', '/docs/upload', form('network.exe', 'MZ'))).status).toBe(415)
    expect((await send('POST', '/docs/upload', new FormData())).status).toBe(422)
  })

  test('POST, GET, DELETE /facts', async () => {
    const fact = { category: 'host', key: 'nas', value: '192.168.1.10' }
    const made = await send('POST', '/facts', fact)
    expect(made).toMatchObject({ status: 201, body: { ...fact, source: 'manual', created_at: expect.any(String) } })
    expect(await send('POST', '/facts', { ...fact, value: 'moved' })).toMatchObject({
      status: 200,
      body: { id: made.body.id, value: 'moved' },
    })
    expect((await send('GET', '/facts?category=host')).body.facts).toMatchObject([{ value: 'moved' }])
    expect((await send('POST', '/facts', { ...fact, source: 'wizard' })).status).toBe(422)
    expect((await send('POST', '/facts', { category: 'host' })).status).toBe(422)
    expect((await send('DELETE', '/facts')).status).toBe(422)
    expect((await send('DELETE', `/facts/${made.body.id}`)).status).toBe(204)
    expect((await send('DELETE', `/facts/${made.body.id}`)).status).toBe(404)
    await send('POST', '/facts', fact)
    expect((await send('DELETE', '/facts?category=host')).body).toEqual({ deleted: 1 })
  })

  test('GET /wizard/schema, POST /wizard/step, POST /wizard/apply', async () => {
    const { steps } = (await send('GET', '/wizard/schema')).body
    const ids = steps.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(['hosts', 'services', 'network', 'storage', 'schedules', 'known_issues', 'contacts'])
    const answers = { hosts: [{ name: 'attic', addresses: ['192.168.1.30'] }] }
    const step = await send('POST', '/wizard/step', { step: 'hosts', answers })
    expect(step.body).toEqual({
      next_step: 'services',
      facts_preview: [{ category: 'host', key: 'attic', value: 'at 192.168.1.30', change: 'new' }],
    })
    expect((await send('GET', '/wizard/schema')).body.steps[0].answers).toEqual(answers)
    expect((await send('POST', '/wizard/apply', {})).body).toMatchObject({ facts_created: 1 })
    expect((await send('POST', '/wizard/apply', {})).body).toMatchObject({ facts_created: 0 })
    expect((await send('GET', '/facts?source=wizard')).body.facts).toMatchObject([{ key: 'attic' }])
    expect((await send('POST', '/wizard/step', { step: 'hosts', answers: { hosts: 'attic' } })).status).toBe(422)
    expect((await send('POST', '/wizard/step', { step: 'cellar', answers: {} })).status).toBe(404)
  })

  test('GET /debug/search', async () => {
    await send('POST', '/facts', { category: 'service', key: 'photos', value: 'runs on attic; depends on postgres' })
    const { status, body } = await send('GET', '/debug/search?q=why+does+photos+fail')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { facts: [{ key: 'photos', score: expect.any(Number) }] },
    })
    expect((await send('GET', '/debug/search')).status).toBe(422)
  })
})
