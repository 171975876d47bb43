import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startTrellis } from '../support/trellis.ts'

const manifest = new URL('../../deploy/examples/generation-job.yaml', import.meta.url)

test('the GenerationJob example uploads a melody, continues it, and prints the ids of the result', async () => {
  const [map, job] = parseAllDocuments(await readFile(manifest, 'utf8')).map((document) => document.toJS())
  const [container] = job.spec.template.spec.containers
  const [program, path] = container.command as [string, string]
  expect(program).toBe('node')
  const [mount] = container.volumeMounts
  const script = map.data[path.slice(`${mount.mountPath}/`.length)] as string
  expect(container.env).toEqual([{ name: 'EDGE', value: 'http://trellis-edge' }])

  await using directory = await temporaryDirectory()
  await using trellis = await startTrellis()
  const file = join(directory.path, 'continue-melody.mjs')
  await writeFile(file, script)
  const child = spawn(process.execPath, [file], { env: { EDGE: trellis.origin }, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(code).toBe(0)
  const { chainId, nodeId } = /chainId: (?<chainId>\S+)\nnodeId: (?<nodeId>\S+)/.exec(output)?.groups ?? {}
  const audio = await fetch(`${trellis.origin}/music/api/chains/${chainId}/nodes/${nodeId}/audio`)
  expect(audio.status).toBe(200)
  expect(
    Buffer.from(await audio.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('RIFF')
})
