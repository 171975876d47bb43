import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audioInMemory } from '../../services/music/src/audio/audio-path.ts'
import { layersOf, planTake, playTake, prepareMaterial } from '../../services/music/src/generate/recombine.ts'
import { decodeAll, wavOf } from '../../services/music/test/audio-files.ts'
import { playEnsemble } from '../../services/music/test/ensemble-pieces.ts'
import { readEvents } from '../support/events.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'
import { tune } from '../support/tune.ts'

type Node = {
  node_id: string
  status: string
  decision: string
  duration_seconds: number
  seed: number | null
  seam: { distance_percentile: number; loudness_step_lu: number; beat_error_ms: number } | null
}
type Chain = {
  chain_id: string
  root_node_id: string
  spine: string[]
  nodes: Node[]
  sample_rate: number
  channels: number
}

const seconds = 12
const sampleRate = 22_050

const layered = { duration_seconds: 30, seed: 3, prompt: 'varied' }

/** A piece with drums, and its take as the functions of the music service make it in this process: how many bars get the drums of others, and its file. */
const playLayered = async () => {
  const { samples } = playEnsemble({ style: 'boom bap', metre: '4/4', bpm: 90, seconds: 24, seed: 77 })
  const piece = Buffer.from(await wavOf([samples], sampleRate))
  const { block } = await decodeAll(piece)
  const { duration_seconds, ...rest } = layered
  const request = { context: audioInMemory(block, sampleRate), frames: duration_seconds * sampleRate, ...rest }
  const material = await prepareMaterial(request)
  const take = planTake(material, request)
  const { length: layers } = await layersOf(material, take, request)
  return { piece, layers, wav: await wavOf(await playTake(material, take, request), sampleRate) }
}

describe('the main job of music', () => {
  let trellis: Trellis
  let chain: Chain
  const url = (path: string) => `${trellis.origin}/music/api/chains${path}`
  const post = async <Answer>(path: string, body?: object) => {
    const init = body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
    const response = await fetch(url(path), { method: 'POST', ...init })
    return { status: response.status, body: (await response.json()) as Answer }
  }
  const create = async (content: Uint8Array, name = 'tune.wav') => {
    const form = new FormData()
    form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), name)
    form.append('name', 'My tune')
    return fetch(url(''), { method: 'POST', body: form })
  }
  const read = async (chainId = chain.chain_id) => (await (await fetch(url(`/${chainId}`))).json()) as Chain
  const bytesOf = async (address: string) => Buffer.from(await (await fetch(address)).arrayBuffer())

  /** Follows the chain's events until each of the nodes is ready or has failed. */
  const settled = async (nodes: Node[], chainId = chain.chain_id) => {
    const waiting = new Set(nodes.map(({ node_id }) => node_id))
    const isSettled = (status: unknown) => status === 'ready' || status === 'error'
    const events = await readEvents(
      url(`/${chainId}/events?last_event_id=0`),
      ({ event, data }) => {
        if (event === 'node-status' && isSettled(data.status)) waiting.delete(String(data.node_id))
        return waiting.size === 0
      },
      {
        onOpen: async () => {
          for (const { node_id, status } of (await read(chainId)).nodes) if (isSettled(status)) waiting.delete(node_id)
        },
      },
    ).catch(() => [])
    return events
  }

  /** The spine of a chain as one WAV file. */
  const exportOf = async (chainId: string, crossfade_ms: number) => {
    const response = await fetch(url(`/${chainId}/export`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'wav', crossfade_ms }),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="/)
    return Buffer.from(await response.arrayBuffer())
  }

  /** Follows a chain in which nothing happens until the stream has a comment; returns it. */
  const firstComment = async (chainId: string): Promise<string> => {
    const leaving = new AbortController()
    const response = await fetch(url(`/${chainId}/events`), { signal: leaving.signal })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const [, comment] = /^: ?(\w.*)$/m.exec(text) ?? []
      if (comment === undefined) continue
      leaving.abort()
      return comment
    }
    throw new Error(`The stream ended without a comment: ${text}`)
  }
  /** Begun by the first test, since it takes 15 s. */
  let comment: Promise<string>

  /** Computed before the server starts: it would time out idle connections of a process that computes for long, with 408 under load. */
  let played: Awaited<ReturnType<typeof playLayered>>

  beforeAll(async () => {
    played = await playLayered()
    trellis = await startTrellis()
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  test('an upload becomes a chain with one committed node', async () => {
    const response = await create(tune({ seconds, sampleRate }))
    expect(response.status).toBe(201)
    chain = (await response.json()) as Chain
    expect(chain).toMatchObject({ name: 'My tune', sample_rate: sampleRate, channels: 1, spine: [chain.root_node_id] })
    expect(chain.nodes).toMatchObject([
      { status: 'ready', decision: 'committed', kind: 'upload', duration_seconds: seconds },
    ])
  })

  test('a chain and its nodes have the fields of the contract, null where a value is unknown', async () => {
    const fields =
      'chain_id name created_at updated_at sample_rate channels root_node_id spine nodes bpm key loudness_lufs'
    expect(Object.keys(chain)).toEqual(expect.arrayContaining(fields.split(' ')))
    const [root] = chain.nodes
    const nodeFields = `node_id chain_id parent_id status decision kind prompt seed duration_seconds context_seconds generator
      progress error seam bpm key loudness_lufs audio_url peaks_url stems created_at ready_at`
    expect(Object.keys(root ?? {})).toEqual(expect.arrayContaining(nodeFields.split(/\s+/)))
    expect(root).toMatchObject({ parent_id: null, seed: null, seam: null, error: null, stems: null, progress: 1 })
    const at = `/music/api/chains/${chain.chain_id}/nodes/${chain.root_node_id}`
    expect(root).toMatchObject({ audio_url: `${at}/audio`, peaks_url: `${at}/peaks` })
    expect((await fetch(`${trellis.origin}${at}/peaks`)).status).toBe(200)
    const quiet = (await (await create(tune({ seconds: 1, sampleRate: 8_000 }))).json()) as Chain
    comment = firstComment(quiet.chain_id)
    // If an earlier test fails, nothing awaits it.
    comment.catch(() => undefined)
  })

  test('a chain is listed newest first, read, renamed, and deleted with 204', async () => {
    const own = (await (await create(tune({ seconds: 1, sampleRate: 8_000 }))).json()) as Chain
    const listed = (await (await fetch(url('?limit=1'))).json()) as { chains: Chain[]; next_cursor: string | null }
    expect([listed.chains.map(({ chain_id }) => chain_id), typeof listed.next_cursor]).toEqual([
      [own.chain_id],
      'string',
    ])
    const path = url(`/${own.chain_id}`)
    const renamed = await fetch(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Evening theme' }),
    })
    expect([renamed.status, await renamed.json()]).toEqual([200, expect.objectContaining({ name: 'Evening theme' })])
    expect(await (await fetch(path)).json()).toMatchObject({ name: 'Evening theme', nodes: [{ status: 'ready' }] })
    const deletions = [
      await fetch(path, { method: 'DELETE' }),
      await fetch(path, { method: 'DELETE' }),
      await fetch(path),
    ]
    expect(deletions.map(({ status }) => status)).toEqual([204, 404, 404])
  })

  test.each<[string, string, unknown]>([
    ['half a second', 'duration_seconds', 0.5],
    ['61 seconds', 'duration_seconds', 61],
    ['five takes', 'takes', 5],
    ['a negative seed', 'seed', -1],
    ['a context of more than 1,200 s', 'context_seconds', 1_201],
    ['a prompt of more than 2,000 characters', 'prompt', 'a'.repeat(2_001)],
    ['an unknown generator', 'generator', 'magic'],
  ])('a branch with %s is 422', async (_, field, value) => {
    const path = `/${chain.chain_id}/nodes/${chain.root_node_id}/branches`
    const { status, body } = await post<{ detail: { loc: string[] }[] }>(path, { [field]: value })
    expect([status, body.detail[0]?.loc]).toEqual([422, ['body', field]])
  })

  test('the capacity has its fields, and a session leases one slot until it is released', async () => {
    const gpu = `${trellis.origin}/music/api/gpu`
    const capacity = (await (await fetch(gpu)).json()) as Record<string, unknown>
    expect(capacity).toMatchObject({
      mode: expect.toBeOneOf(['kubernetes', 'local', 'none']),
      observed_at: expect.any(String),
      classes: expect.any(Array),
      queue_depth: expect.any(Number),
      running: expect.any(Number),
      generators: expect.arrayContaining([
        expect.objectContaining({ name: 'recombine', available: true, reason: null, max_seconds: 60 }),
        expect.objectContaining({ name: 'onnx', available: false, reason: expect.any(String) }),
      ]),
      reasons: expect.any(Array),
    })
    expect(capacity).toHaveProperty('estimated_wait_seconds')
    const created = await fetch(`${gpu}/sessions`, { method: 'POST' })
    const session = (await created.json()) as { session_id: string }
    expect([created.status, session]).toEqual([
      201,
      { session_id: expect.any(String), status: 'leased', expires_at: expect.any(String) },
    ])
    const path = `${gpu}/sessions/${session.session_id}`
    expect((await fetch(path, { method: 'PUT' })).status).toBe(200)
    const released = [await fetch(path, { method: 'DELETE' }), await fetch(path, { method: 'DELETE' })]
    expect(released.map(({ status }) => status)).toEqual([204, 404])
  })

  test('branches are generated in the background, announced by events, and have seam measurements', async () => {
    const { status, body } = await post<{ nodes: Node[] }>(`/${chain.chain_id}/nodes/${chain.root_node_id}/branches`, {
      prompt: 'calm',
      duration_seconds: 5,
      seed: 7,
      takes: 2,
      generator: 'recombine',
    })
    expect(status).toBe(202)
    expect(body.nodes).toMatchObject([
      { status: 'generating', decision: 'undecided', seed: 7 },
      { status: 'generating', decision: 'undecided', seed: 8 },
    ])
    await settled(body.nodes)
    chain = await read()
    const takes = chain.nodes.filter(({ seed }) => seed !== null)
    expect(takes).toMatchObject([
      { status: 'ready', duration_seconds: 5 },
      { status: 'ready', duration_seconds: 5 },
    ])
    for (const { seam } of takes) expect(Object.values(seam ?? {}).every(Number.isFinite) && seam !== null).toBe(true)
  })

  test('audio is served whole and by range as 24-bit WAV, and peaks in the requested number', async () => {
    const [, take] = chain.nodes as [Node, Node]
    const audio = url(`/${chain.chain_id}/nodes/${take.node_id}/audio`)
    const whole = Buffer.from(await (await fetch(audio)).arrayBuffer())
    expect(whole.subarray(0, 4).toString()).toBe('RIFF')
    const part = await fetch(audio, { headers: { range: 'bytes=100-199' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${whole.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(100, 200))).toBe(true)
    expect((await fetch(audio, { headers: { range: `bytes=${whole.length}-` } })).status).toBe(416)
    const peaks = (await (await fetch(url(`/${chain.chain_id}/nodes/${take.node_id}/peaks?points=50`))).json()) as {
      min: number[]
      max: number[]
    }
    expect([peaks.min.length, peaks.max.length]).toEqual([50, 50])
  })

  test('commit puts a take on the spine, another commit displaces it, and discard removes it', async () => {
    const [, first, second] = chain.nodes as [Node, Node, Node]
    const commit = (node: Node) => post<Chain>(`/${chain.chain_id}/nodes/${node.node_id}/commit`)
    expect((await commit(first)).body.spine).toEqual([chain.root_node_id, first.node_id])
    const displaced = (await commit(second)).body
    expect(displaced.spine).toEqual([chain.root_node_id, second.node_id])
    expect(displaced.nodes.find(({ node_id }) => node_id === first.node_id)?.decision).toBe('undecided')
    const discarded = (await post<Chain>(`/${chain.chain_id}/nodes/${second.node_id}/discard`)).body
    expect(discarded.spine).toEqual([chain.root_node_id])
    expect((await commit(first)).status).toBe(200)
    expect((await post(`/${chain.chain_id}/nodes/${chain.root_node_id}/discard`)).status).toBe(409)
  })

  test('decisions are broadcast to the clients of the chain', async () => {
    const [, , second] = chain.nodes as [Node, Node, Node]
    const events = await readEvents(
      url(`/${chain.chain_id}/events?last_event_id=0`),
      ({ data }) => data.node_id === second.node_id && data.decision === 'discarded',
    )
    const decisions = events.filter(({ data }) => data.node_id === second.node_id).map(({ data }) => data.decision)
    expect(decisions.filter((decision) => decision !== 'undecided')).toEqual(['committed', 'discarded'])
  })

  test('an unfinished node is 409 until it is deleted, and the root cannot be discarded, retried or deleted', async () => {
    const root = `/${chain.chain_id}/nodes/${chain.root_node_id}`
    const order = { duration_seconds: 60, seed: 3, generator: 'recombine' }
    const [unfinished] = (await post<{ nodes: Node[] }>(`${root}/branches`, order)).body.nodes as [Node]
    const path = `/${chain.chain_id}/nodes/${unfinished.node_id}`
    const statuses = await Promise.all([
      fetch(url(`${path}/audio`)).then(({ status }) => status),
      fetch(url(`${path}/peaks`)).then(({ status }) => status),
      ...['commit', 'branches', 'retry', 'stems'].map(async (action) => (await post(`${path}/${action}`, {})).status),
    ])
    expect(statuses).toEqual([409, 409, 409, 409, 409, 409])
    const remove = async (node: string) => (await fetch(url(node), { method: 'DELETE' })).status
    expect(await remove(path)).toBe(204)
    expect((await read()).nodes.map(({ node_id }) => node_id)).not.toContain(unfinished.node_id)
    expect(await remove(path)).toBe(404)
    expect(await remove(root)).toBe(409)
    for (const action of ['discard', 'retry']) expect((await post(`${root}/${action}`)).status).toBe(409)
  })

  test.each([0, 500])(
    'the export has exactly the length of the spine with a crossfade of %i ms',
    async (crossfade_ms) => {
      const wav = await exportOf(chain.chain_id, crossfade_ms)
      const data = wav.indexOf('data')
      expect(wav.readUInt32LE(data + 4) / 3).toBe((seconds + 5) * sampleRate)
    },
  )

  test('a node is separated into four stems, which sum to it, and are deleted with a request', async () => {
    const path = `/${chain.chain_id}/nodes/${chain.nodes[1]?.node_id}`
    type Stems = { status: string; stems: { name: string; url: string; energy_share: number }[] }
    const [before, requested] = [await (await fetch(url(`${path}/stems`))).json(), await post<Stems>(`${path}/stems`)]
    expect(before).toEqual({ status: 'none', method: null, progress: 0, error: null, stems: [] })
    expect(requested).toMatchObject({ status: 202, body: { status: 'generating' } })
    await readEvents(
      url(`/${chain.chain_id}/events?last_event_id=0`),
      ({ event, data }) => event === 'stems-status' && data.status !== 'generating',
    )
    const { status, stems } = (await (await fetch(url(`${path}/stems`))).json()) as Stems
    expect([status, stems.map(({ name }) => name)]).toEqual(['ready', ['vocals', 'drums', 'bass', 'other']])
    expect(stems.reduce((sum, { energy_share }) => sum + energy_share, 0)).toBeCloseTo(1, 9)
    const files = await Promise.all(stems.map((stem) => bytesOf(`${trellis.origin}${stem.url}`)))
    const whole = await bytesOf(url(`${path}/audio`))
    const wrong = Array.from({ length: (whole.length - 44) / 3 }, (_, i) => 44 + 3 * i).filter(
      (at) => files.reduce((sum, file) => sum + file.readIntLE(at, 3), 0) !== whole.readIntLE(at, 3),
    )
    expect([files.map(({ length }) => length), wrong]).toEqual([Array(4).fill(whole.length), []])
    const part = await fetch(`${trellis.origin}${stems[1]?.url}`, { headers: { range: 'bytes=100-199' } })
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(files[1]?.subarray(100, 200) ?? whole)]).toEqual([
      206,
      true,
    ])
    expect((await fetch(url(`${path}/stems/piano`))).status).toBe(422)
    expect((await fetch(url(`${path}/stems`), { method: 'DELETE' })).status).toBe(204)
    expect((await fetch(url(`${path}/stems/drums`))).status).toBe(409)
  })

  /** Generates one take of a chain's root, and returns it with its audio. */
  const takeOf = async ({ chain_id, root_node_id }: Chain, request: object) => {
    const { body } = await post<{ nodes: [Node] }>(`/${chain_id}/nodes/${root_node_id}/branches`, {
      generator: 'recombine',
      ...request,
    })
    await settled(body.nodes, chain_id)
    const [{ node_id }] = body.nodes
    return { node_id, audio: await bytesOf(url(`/${chain_id}/nodes/${node_id}/audio`)) }
  }

  test('generation is deterministic for parent, seed and parameters, and differs by seed', async () => {
    const audioOf = async (seed: number) => (await takeOf(chain, { duration_seconds: 3, seed })).audio
    const [one, same, other] = [await audioOf(5), await audioOf(5), await audioOf(6)]
    expect(one.equals(same)).toBe(true)
    expect(one.equals(other)).toBe(false)
  })

  test('a take whose bars get the drums of others has the same bytes on all forms, and is exported', async () => {
    // Each form is compared with the functions themselves, so that no two forms need to run at the same time.
    const { piece, layers, wav } = played
    const drummed = (await (await create(piece)).json()) as Chain
    const [{ node_id, audio }, again] = [await takeOf(drummed, layered), await takeOf(drummed, layered)]
    expect(audio.equals(again.audio)).toBe(true)
    expect(layers).toBeGreaterThan(0)
    expect(audio.equals(wav)).toBe(true)
    const committed = await post<Chain>(`/${drummed.chain_id}/nodes/${node_id}/commit`)
    expect(committed).toMatchObject({ status: 200, body: { spine: [drummed.root_node_id, node_id] } })
    const [exported, ...parts] = [await exportOf(drummed.chain_id, 0), piece, audio].map((file) =>
      file.subarray(file.indexOf('data') + 8),
    )
    expect(exported?.equals(Buffer.concat(parts))).toBe(true)
  })

  test.each([
    ['text', Buffer.from('this is no music'), 415],
    ['an empty file', Buffer.alloc(0), [415, 422]],
    ['a header without sound', tune({ seconds: 0 }), 422],
    ['half a second', tune({ seconds: 0.5 }), 422],
    [
      'a header that lies',
      Buffer.concat([tune({ seconds: 2 }).subarray(0, 40), Buffer.from([255, 255, 255, 255])]),
      422,
    ],
    ['an MP3 in name only', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), Buffer.alloc(2_000)]), [415, 422]],
    ['a broken FLAC', Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(500, 7)]), [415, 422]],
    ['a broken OGG', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(500, 9)]), [415, 422]],
  ])('an upload of %s is refused with a sentence', async (_what, content, expected) => {
    const response = await create(content)
    expect([expected].flat()).toContain(response.status)
    expect(((await response.json()) as { detail: unknown }).detail).toBeTruthy()
  })

  test('branching from silence is 422, and the process is still healthy', async () => {
    const silent = (await (
      await create(Buffer.concat([tune({ seconds: 3 }).subarray(0, 44), Buffer.alloc(3 * sampleRate * 2)]))
    ).json()) as Chain
    const { status } = await post(`/${silent.chain_id}/nodes/${silent.root_node_id}/branches`, {
      duration_seconds: 2,
      generator: 'recombine',
    })
    expect(status).toBe(422)
    expect((await fetch(`${trellis.origin}/music/health`)).status).toBe(200)
    expect(trellis.output()).not.toContain('"level":"error"')
  })
  test('the stream of a chain in which nothing happens has a comment every 15 s', async () => {
    expect(await comment).toBe('keepalive')
  })
})
