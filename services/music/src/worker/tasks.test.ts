import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Files, openDirectoryFiles } from '@trellis/kit/files'
import { ContinueTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { sample } from '@trellis/test/support/exploration'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wavOf } from '../../test/audio-files.ts'
import { playBand } from '../../test/band.ts'
import { nodeFile } from '../audio/files-layout.ts'
import { createModelCache } from '../generate/model/model-cache.ts'
import type { TaskDependencies } from './pieces.ts'
import { continueAudio, ingest } from './tasks.ts'

const RATE = 22_050

describe('the stored features of a node', () => {
  let directory = ''
  let files: Files
  let dependencies: TaskDependencies
  const stored = async (nodeId: string, name: 'samples' | 'features' | 'pulse'): Promise<Uint8Array> => {
    const info = await files.stat(nodeFile(nodeId, name))
    return files.readRange(nodeFile(nodeId, name), { start: 0, end: info?.size ?? 0 })
  }
  /** Continues a path of nodes by 4 s and returns the samples. */
  const branch = async (
    path: string[],
    nodeId: string,
    { contextSeconds = 0, seed = 3, otherTakes = [] as string[] } = {},
  ) => {
    const pieces = path.map((piece) => ({ nodeId: piece, sampleRate: RATE, channels: 2 }))
    const lengths = { frames: 4 * RATE, contextFrames: contextSeconds * RATE }
    const task = ContinueTask.fromPartial({
      nodeId,
      path: pieces,
      ...lengths,
      seed,
      otherTakes,
      generator: 'recombine',
    })
    const result = await continueAudio(task, dependencies)
    return { result, samples: await stored(nodeId, 'samples') }
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'trellis-music-'))
    files = await openDirectoryFiles(directory)
    dependencies = {
      files,
      models: createModelCache('cpu'),
      progress: () => undefined,
      signal: new AbortController().signal,
    }
    const { block, sampleRate } = playBand({ bpm: 112, bars: 8, sampleRate: RATE })
    await files.write(
      nodeFile('root', 'upload'),
      await wavOf(
        block.map((channel) => channel.subarray(0, 15.77 * RATE)),
        sampleRate,
      ),
    )
    await ingest({ nodeId: 'root', maximumSeconds: 60, maximumBytes: 0 }, dependencies)
    await branch(['root'], 'first')
    await branch(['root', 'first'], 'second', { seed: 8 })
  })
  afterAll(() => rm(directory, { recursive: true }))

  const path = ['root', 'first', 'second']
  const continued = new Map<number, ReturnType<typeof branch>>()
  /** The path continued with every file in place, once per length of context, as the node `known-<seconds>`. */
  const known = (contextSeconds = 0) => {
    const made = continued.get(contextSeconds) ?? branch(path, `known-${contextSeconds}`, { contextSeconds })
    continued.set(contextSeconds, made)
    return made
  }
  test.each<[string, string[], number]>([
    ['upload', ['root'], 0],
    ['branch', ['first'], 0],
    ['whole path', path, 0],
    ['whole path, with a short context', path, 9],
  ])('do not affect the result when they are missing: %s', async (_, without, contextSeconds) => {
    const expected = await known(contextSeconds)
    const saved = await Promise.all(
      without.map(async (nodeId) => ({ nodeId, bytes: await stored(nodeId, 'features') })),
    )
    for (const { nodeId } of saved) await files.remove(nodeFile(nodeId, 'features'))
    const measured = await branch(path, 'measured', { contextSeconds })
    for (const { nodeId, bytes } of saved) await files.write(nodeFile(nodeId, 'features'), bytes)
    expect(Buffer.from(measured.samples).equals(expected.samples)).toBe(true)
    expect(measured.result).toEqual(expected.result)
    const features = await stored(`known-${contextSeconds}`, 'features')
    expect(Buffer.from(await stored('measured', 'features')).equals(features)).toBe(true)
  })

  const spoilt: [string, (bytes: Uint8Array) => Uint8Array][] = [
    ['is empty', () => new Uint8Array(0)],
    ['is truncated', (bytes) => bytes.subarray(0, bytes.length - 1000)],
    ['is of another version', (bytes) => bytes.map((byte, i) => (i === 0 ? byte + 1 : byte))],
    ['begins elsewhere', (bytes) => bytes.map((byte, i) => (i === 4 ? byte + 1 : byte))],
  ]
  test.each(sample(spoilt, 2))('are measured again if the file %s', async (_, spoil) => {
    const expected = await known()
    const bytes = await stored('first', 'features')
    await files.write(nodeFile('first', 'features'), spoil(bytes))
    const measured = await branch(path, 'measured')
    await files.write(nodeFile('first', 'features'), bytes)
    expect(Buffer.from(measured.samples).equals(expected.samples)).toBe(true)
  })

  /** A pulse file without its beats: a continuation that uses it finds no beat. */
  const withoutBeats = (file: Uint8Array): Uint8Array =>
    Buffer.concat([file.subarray(0, 32), new Uint8Array(Uint32Array.of(0xffffffff, 0).buffer)])

  test.each<[string, string[], { owner: string; target: string }]>([
    ['an upload', ['root'], { owner: 'root', target: 'reusing' }],
    ['another take', path, { owner: 'other-take', target: 'reusing' }],
    ['an earlier attempt', path, { owner: 'again', target: 'again' }],
  ])(
    'include a pulse of %s that a continuation uses, without an effect on its bytes',
    async (_, from, { owner, target }) => {
      const options = { seed: 5, otherTakes: ['removed-take', 'other-take'] }
      await files.remove(nodeFile('root', 'pulse'))
      const decoded = await branch(from, 'decoded', { seed: 5 })
      const file = await stored('decoded', 'pulse')
      await files.write(nodeFile(owner, 'pulse'), file)
      const reusing = await branch(from, target, options)
      expect(Buffer.from(reusing.samples).equals(decoded.samples)).toBe(true)
      expect(reusing.result).toEqual(decoded.result)
      for (const node of [owner, target]) await files.write(nodeFile(node, 'pulse'), withoutBeats(file))
      const misled = await branch(from, target, options)
      expect(Buffer.from(misled.samples).equals(decoded.samples)).toBe(false)
      for (const node of [owner, target]) await files.remove(nodeFile(node, 'pulse'))
    },
  )

  test('include the pulse of an upload as a continuation of all of it needs it', async () => {
    await ingest({ nodeId: 'root', maximumSeconds: 60, maximumBytes: 0 }, dependencies)
    const file = await stored('root', 'pulse')
    await files.remove(nodeFile('root', 'pulse'))
    await branch(['root'], 'needing')
    expect(await stored('needing', 'pulse')).toEqual(file)
  })

  test('have less than a tenth of the size of the samples at 44.1 kHz', async () => {
    const tenth = (await stored('root', 'samples')).length / 10 / (RATE / 44_100)
    expect((await stored('root', 'features')).length).toBeLessThan(tenth)
  })
})
