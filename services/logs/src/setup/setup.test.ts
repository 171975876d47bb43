import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { startTrellis, type Trellis } from '@trellis/test/support/trellis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let trellis: Trellis
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let model: Server
let answer = ''

/** A minimal chat-completions server. */
const startModel = async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: answer } }] })}\n\n`)
      response.end('data: [DONE]\n\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

beforeAll(async () => {
  folder = await temporaryDirectory()
  model = await startModel()
  await mkdir(join(folder.path, 'shop', 'logs'), { recursive: true })
  await writeFile(join(folder.path, 'shop', 'logs', 'worker.log'), 'basket timeout\n')
  await writeFile(join(folder.path, 'other.log'), 'x\n')
  trellis = await startTrellis(
    {
      SERVICE_SCAN_DIRS: folder.path,
      LLM_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}`,
      LLM_MODEL: 'any',
    },
    { form: 'embedded' },
  )
})
afterAll(async () => {
  await trellis?.[Symbol.asyncDispose]()
  model?.close()
  await folder?.[Symbol.asyncDispose]()
})

const get = async (path: string) => {
  const response = await fetch(`${trellis.origin}/logs/api/setup/${path}`)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const post = async (path: string, value: unknown) => {
  const response = await fetch(`${trellis.origin}/logs/api/setup/${path}`, {
    method: 'POST',
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json' },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('the setup', () => {
  test('leads from an empty configuration to written sources: status, discover, write', async () => {
    expect((await get('status')).body).toEqual({ has_sources: false, source_count: 0, problems: [] })
    const { body } = await get('discover')
    expect(body).toMatchObject({
      journald: expect.any(Boolean),
      docker: expect.any(Boolean),
      podman: expect.any(Boolean),
    })
    const files = body.files as { path: string }[]
    expect(files.map(({ path }) => path).toSorted()).toEqual([
      join(folder.path, 'other.log'),
      join(folder.path, 'shop', 'logs', 'worker.log'),
    ])
    const suggestions = (body.suggestions as { glean_type: string; path: string; id: string }[]).filter(
      ({ glean_type }) => glean_type === 'file',
    )
    const written = await post('write', { sources: suggestions })
    expect(written).toMatchObject({ status: 200, body: { written: 2 } })
    const sourcesFile = join(trellis.dataDirectory, 'sources.yaml')
    expect(await readFile(sourcesFile, 'utf8')).toContain(suggestions[0]?.path)
    expect((await get('status')).body).toMatchObject({ has_sources: true, source_count: 2 })
    // Configured sources are neither suggested again nor written twice.
    expect(
      ((await get('discover')).body.suggestions as { path: string | null }[]).filter(({ path }) => path !== null),
    ).toEqual([])
    expect((await post('write', { sources: suggestions })).status).toBe(409)
  })

  test('suggests files that no local source reads, as a file, in its folder or by its pattern', async () => {
    const nightly = join(folder.path, 'nightly')
    await mkdir(nightly)
    for (const name of ['backup.log', 'backup.log.1', 'index-a.log', 'index-b.log', 'mail.log', 'spare.log'])
      await writeFile(join(nightly, name), 'done\n')
    const sources = [
      { id: 'backups', path: nightly, include: ['backup.log'] },
      { id: 'indexes', path: join(nightly, 'index-*.log') },
      { id: 'mail', path: join(nightly, 'mail.log'), enabled: false },
      {
        id: 'nas',
        transport: 'ssh',
        glean_type: 'plaintext',
        ssh_target: 'nas',
        remote_path: join(nightly, 'spare.log'),
        enabled: false,
      },
    ]
    expect(await post('write', { sources })).toMatchObject({ status: 200 })
    const suggestions = (await get('discover')).body.suggestions as { path: string | null }[]
    expect(suggestions.map(({ path }) => path).filter((path) => path?.startsWith(nightly))).toEqual([
      join(nightly, 'spare.log'),
    ])
  })

  test('write rejects invalid sources and then writes none of them', async () => {
    const before = (await get('status')).body
    const good = { id: 'good', path: '/var/log/good.log' }
    for (const wrong of [
      { id: 'bad', path: 'not/absolute' },
      { id: 'bad', transport: 'ssh', glean_type: 'syslog' },
      { id: '' },
    ]) {
      const refused = await post('write', { sources: [good, wrong] })
      expect(refused).toMatchObject({ status: 422, body: { detail: expect.anything() } })
    }
    const nameless = await post('write', { sources: [{ path: '/x' }] })
    expect(nameless).toMatchObject({ status: 422, body: { detail: [{ msg: 'sources[0].id must not be blank.' }] } })
    const unknown = await post('write', { sources: [{ id: 'bad', transport: 'carrier-pigeon', path: '/x' }] })
    expect(unknown).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ['body', 'sources', 0, 'transport'],
            msg: 'sources[0].transport must be local or ssh.',
            type: 'value_error',
          },
        ],
      },
    })
    const address = { host: 'nas.lan', port: 22, user: 'logs', key_path: '/etc/passwd' }
    const stolen = {
      id: 'nas',
      transport: 'ssh',
      glean_type: 'plaintext',
      remote_path: '/var/log/messages',
      ...address,
    }
    expect(await post('write', { sources: [good, stolen] })).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', 'sources', 1, 'key_path'], msg: expect.stringContaining('Keys are read only from') }],
      },
    })
    expect((await post('write', { sources: [] })).status).toBe(422)
    expect((await get('status')).body).toEqual(before)
  })

  test('scan accepts a query and max_results, and reports the words that it found', async () => {
    const { body } = await get('scan?query=basket%20trouble&max_results=1')
    expect(body).toMatchObject({
      files: [{ path: join(folder.path, 'shop', 'logs', 'worker.log'), matches: ['basket'], size: 15 }],
      is_complete: true,
    })
    expect((await get('scan?max_results=0')).status).toBe(422)
  })

  test('interpret uses the model for descriptions without a keyword, and accepts only logs that exist', async () => {
    const path = join(folder.path, 'shop', 'logs', 'worker.log')
    answer = JSON.stringify({ glean_type: 'file', path })
    const chosen = await post('interpret', { text: 'whatever the shop writes' })
    expect(chosen).toMatchObject({ status: 200, body: { source: { glean_type: 'file', path }, method: 'llm' } })
    answer = JSON.stringify({ glean_type: 'file', path: '/etc/shadow' })
    const refused = await post('interpret', { text: 'whatever the shop writes' })
    expect(refused).toMatchObject({ status: 200, body: { source: null, method: null } })
    expect((await post('interpret', { text: `read ${path}` })).body).toMatchObject({ method: 'keyword' })
    expect((await post('interpret', { text: '' })).status).toBe(422)
  })
})
