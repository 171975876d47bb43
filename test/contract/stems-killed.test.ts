import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startTrellis } from '../support/trellis.ts'
import { tune } from '../support/tune.ts'

type Stems = { status: string; progress: number; error: string | null }

const filesBelow = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

test('a separation whose server was killed is finished by the next start, with no more than its four files', {
  timeout: 240_000,
}, async () => {
  await using directory = await temporaryDirectory()
  const options = { dataDirectory: directory.path, form: 'embedded' } as const
  let path = ''
  const read = async (origin: string) => (await (await fetch(`${origin}${path}`)).json()) as Stems
  const poll = { timeout: 120_000, interval: 50 }
  {
    await using trellis = await startTrellis({}, options)
    const form = new FormData()
    form.append('file', new Blob([tune({ seconds: 40 }) as Uint8Array<ArrayBuffer>]), 'tune.wav')
    const response = await fetch(`${trellis.origin}/music/api/chains`, { method: 'POST', body: form })
    const chain = (await response.json()) as { chain_id: string; root_node_id: string }
    path = `/music/api/chains/${chain.chain_id}/nodes/${chain.root_node_id}/stems`
    expect((await fetch(`${trellis.origin}${path}`, { method: 'POST' })).status).toBe(202)
    // Its worker is at work.
    await expect.poll(async () => (await read(trellis.origin)).progress, poll).toBeGreaterThan(0)
    await trellis.stop('SIGKILL')
  }
  await using trellis = await startTrellis({}, options)
  await expect.poll(async () => (await read(trellis.origin)).status, poll).toBe('ready')
  expect((await read(trellis.origin)).error).toBeNull()
  const stored = (await filesBelow(join(directory.path, 'files'))).filter((file) => file.includes('/stems/'))
  expect(stored.map((file) => file.split('/').at(-1)).toSorted()).toEqual([
    'bass.s24le',
    'drums.s24le',
    'other.s24le',
    'vocals.s24le',
  ])
})
