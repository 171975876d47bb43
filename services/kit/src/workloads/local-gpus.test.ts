import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { createGpuProbe, parseGpus } from './local-gpus.ts'

/** A folder with a driver's tool that runs this script. */
const withTool = async (script: string) => {
  const directory = await temporaryDirectory()
  const path = join(directory.path, 'nvidia-smi')
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return directory
}

const h100 = 'NVIDIA H100 80GB HBM3'

test('GPUs are counted by model, and idle ones are free', () => {
  expect(parseGpus(`${h100}, 81559, 1\n${h100}, 81559, 40000\nNVIDIA A10G, 23028, 0\n`)).toMatchObject([
    { product: h100, memoryMib: 81_559, total: 2, free: 1, usedByUs: 0, usedByOthers: 1 },
    { product: 'NVIDIA A10G', memoryMib: 23_028, total: 1, free: 1, usedByOthers: 0 },
  ])
})

test('a GPU that shares the memory of its machine has unknown memory', () => {
  expect(parseGpus('NVIDIA GB10, [N/A], [N/A]\n')).toMatchObject([
    { product: 'NVIDIA GB10', memoryMib: null, total: 1, free: 1 },
  ])
})

test('other output has no GPUs', () => {
  expect(parseGpus('No devices were found\n')).toEqual([])
})

test('without the tool of a driver there are no GPUs, and the reason names what runs use', async () => {
  await using directory = await temporaryDirectory()
  expect(await createGpuProbe({ folders: [directory.path] })()).toEqual({
    classes: [],
    reasons: ['Runs are child processes on the CPU of this machine.'],
  })
})

test('the tool is started once for calls within ten seconds', async () => {
  await using directory = await withTool(
    `echo >> "$(dirname "$0")/calls"; echo "${h100}, 81559, $(wc -l < "$(dirname "$0")/calls")"`,
  )
  let time = 0
  const probe = createGpuProbe({ folders: [directory.path, '/nowhere'], now: () => time })
  const [first, second] = await Promise.all([probe(), probe()])
  expect(first).toMatchObject({ classes: [{ product: h100, total: 1 }], reasons: [] })
  time = 9_000
  expect(await probe()).toBe(second)
  time = 11_000
  expect(await probe()).not.toBe(first)
})

test('a tool that fails is reported', async () => {
  await using directory = await withTool('echo "Failed to initialize NVML"; exit 9')
  expect(await createGpuProbe({ folders: [directory.path] })()).toMatchObject({
    classes: [],
    reasons: [expect.anything(), expect.stringMatching(/its tool .* fails/)],
  })
})
