import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { glob, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blockLength, decodeAll, joinBlocks, sliceBlock, wavOf } from '@trellis/music/test/audio-files'
import { playBand } from '@trellis/music/test/band'
import { smallModels } from '@trellis/music/test/models/make-models'
import { asStarted } from '@trellis/test/support/as-started'
import { sample } from '@trellis/test/support/exploration'
import { modulePath } from '@trellis/test/support/module-path'
import { startTrellis } from '@trellis/test/support/trellis'
import { waitFor } from '@trellis/test/support/wait-for'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const main = await modulePath('services/cli/src/main.ts')
const sampleRate = 22_050
const mock = { MUSIC_GENERATOR_MOCK: '1' }

let folder = ''
let piece: Uint8Array
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'music-cli-'))
  const { block } = playBand({ bpm: 120, bars: 4, sampleRate, channels: 2, tonic: 57, mode: 'minor' })
  piece = await wavOf(block, sampleRate)
  await writeFile(join(folder, 'in.wav'), piece)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (words: readonly string[], environment: Record<string, string> = {}, command = process.execPath) =>
  spawn(command, [...words], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', TMPDIR: folder, ...asStarted, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const trellis = (words: readonly string[]) => ['--disable-warning=ExperimentalWarning', main, 'music', ...words]

const endOf = async (child: ReturnType<typeof start>) => {
  let [result, notes] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (result += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (notes += text))
  const [code] = await once(child, 'close')
  return { code, result, notes }
}

const call = (words: readonly string[], environment: Record<string, string> = {}) =>
  endOf(start(trellis(words), environment))

const output = (path: string) => readFile(join(folder, path))
const decoded = async (path: string) => decodeAll(await output(path))

describe('trellis music continue', () => {
  test('writes each take as a file with the length asked for, and prints their paths and seeds', async () => {
    const called = await call(['continue', 'in.wav', '--seconds', '3.5', '--takes', '2', '--seed', '8', '-o', 'takes/'])
    expect(called).toEqual({
      code: 0,
      result: 'takes/in-take-1.wav\ntakes/in-take-2.wav\n',
      notes: 'Take 1: 3.50 s, seed 8\nTake 2: 3.50 s, seed 9\n',
    })
    const takes = await Promise.all(['takes/in-take-1.wav', 'takes/in-take-2.wav'].map(decoded))
    for (const take of takes) {
      expect(take).toMatchObject({ container: 'wav', sampleRate, channels: 2 })
      expect(blockLength(take.block)).toBe(3.5 * sampleRate)
    }
    expect(takes[0]?.block).not.toEqual(takes[1]?.block)
    expect((await readdir(join(folder, 'takes'))).toSorted()).toEqual(['in-take-1.wav', 'in-take-2.wav'])
  })

  test('names the words of the prompt that no take followed', async () => {
    const words = ['--seconds', '1', '--seed', '3', '--prompt', 'calm, with a tuba', '-o', 'words']
    expect(await call(['continue', 'in.wav', ...words])).toMatchObject({
      code: 0,
      notes: 'Take 1: 1.00 s, seed 3\nNot followed: tuba\n',
    })
  })

  test('writes the same bytes as a server for the same seed, prompt and length', async () => {
    const words = ['--seconds', '2', '--seed', '41', '--prompt', 'calm', '-o', 'alike']
    expect(await call(['continue', 'in.wav', ...words])).toMatchObject({ code: 0 })
    await using server = await startTrellis({}, { form: 'embedded' })
    const chains = `${server.origin}/music/api/chains`
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(piece)]), 'in.wav')
    const created = (await (await fetch(chains, { method: 'POST', body: form })).json()) as Record<string, string>
    const nodes = `${chains}/${created.chain_id}/nodes`
    const branched = await fetch(`${nodes}/${created.root_node_id}/branches`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ duration_seconds: 2, seed: 41, prompt: 'calm' }),
    })
    const [take] = ((await branched.json()) as { nodes: { node_id: string }[] }).nodes
    const served = await waitFor(
      async () => {
        const response = await fetch(`${nodes}/${take?.node_id}/audio`)
        if (!response.ok) throw new Error(await response.text())
        return Buffer.from(await response.arrayBuffer())
      },
      { interval: 200 },
    )
    expect(served.equals(await output('alike/in-take-1.wav'))).toBe(true)
  })

  test.each(['flac', 'mp3'])('writes %s, which has the length asked for', async (format) => {
    const words = ['--seconds', '2', '--seed', '1', '--format', format, '-o', format]
    expect(await call(['continue', 'in.wav', ...words], mock)).toMatchObject({ code: 0 })
    const take = await decoded(`${format}/in-take-1.${format}`)
    expect([take.container, take.sampleRate, blockLength(take.block)]).toEqual([format, sampleRate, 2 * sampleRate])
  })

  test('with --whole writes the piece with its continuation, and with --json the figures of each take', async () => {
    const words = ['--seconds', '2', '--seed', '1', '--whole', '--json', '-o', 'whole']
    const { code, result } = await call(['continue', 'in.wav', ...words], mock)
    expect([code, JSON.parse(result)]).toEqual([
      0,
      [
        {
          file: 'whole/in-take-1.wav',
          seed: 1,
          generator: 'mock',
          prompt_honored: [],
          prompt_ignored: [],
          duration_seconds: 2,
          bpm: expect.toBeOneOf([null, expect.any(Number)]),
          key: expect.toBeOneOf([null, expect.any(String)]),
          loudness_lufs: expect.any(Number),
          seam: {
            distance_percentile: expect.any(Number),
            loudness_step_lu: expect.any(Number),
            beat_error_ms: expect.toBeOneOf([null, expect.any(Number)]),
          },
        },
      ],
    ])
    const [source, { block }] = [(await decodeAll(piece)).block, await decoded('whole/in-take-1.wav')]
    expect(blockLength(block)).toBe(blockLength(source) + 2 * sampleRate)
    expect(sliceBlock(block, 0, blockLength(source))).toEqual(source)
  })

  test('overwrites existing files only with --force', async () => {
    await mkdir(join(folder, 'full'))
    await writeFile(join(folder, 'full/in-take-2.wav'), 'mine')
    const words = ['continue', 'in.wav', '--seconds', '1', '--takes', '2', '-o', 'full']
    expect(await call(words, mock)).toEqual({
      code: 1,
      result: '',
      notes: '"full/in-take-2.wav" exists already: use --force to overwrite it, or another folder.\n',
    })
    expect(await readdir(join(folder, 'full'))).toEqual(['in-take-2.wav'])
    expect((await output('full/in-take-2.wav')).toString()).toBe('mine')
    expect(await call([...words, '--force'], mock)).toMatchObject({ code: 0 })
    expect(blockLength((await decoded('full/in-take-2.wav')).block)).toBe(sampleRate)
    expect((await readdir(join(folder, 'full'))).toSorted()).toEqual(['in-take-1.wav', 'in-take-2.wav'])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('ended by %s, leaves no file, no folder and no worker', async (signal) => {
    const child = start(trellis(['continue', 'in.wav', '--seconds', '60', '--takes', '4', '-o', 'ended/here']))
    const ended = endOf(child)
    const childrenOf = async () => (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim()
    // The piece has been read, so takes are being generated.
    const features = () => Array.fromAsync(glob(join(folder, 'ended/here/.trellis-*/music/nodes/*/features')))
    await waitFor(async () => expect(await features()).toHaveLength(1))
    const workers = (await childrenOf()).split(' ')
    child.kill(signal)
    expect(await ended).toEqual({ code: 130, result: '', notes: '' })
    expect(await readdir(join(folder, 'ended'))).toEqual([])
    expect(workers.length).toBeGreaterThan(0)
    for (const pid of workers) expect(existsSync(`/proc/${pid}`)).toBe(false)
    await rm(join(folder, 'ended'), { recursive: true })
  })
})

describe('trellis music continue with a model', () => {
  test('continues by the model that MUSIC_MODEL names, from the end of the piece, the same bytes each time', async () => {
    const environment = { MUSIC_MODEL: (await smallModels()).latent }
    const words = ['continue', 'in.wav', '--seconds', '2', '--seed', '4', '--json', '-o', 'model']
    const called = await call([...words, '--context', '3'], environment)
    expect(called).toMatchObject({ code: 0, notes: '' })
    expect(JSON.parse(called.result)).toMatchObject([{ generator: 'onnx', seed: 4, duration_seconds: 2 }])
    const first = await output('model/in-take-1.wav')
    const again = [...words, '--context', '3', '--generator', 'onnx', '--force']
    expect(await call(again, environment)).toMatchObject({ code: 0 })
    expect((await output('model/in-take-1.wav')).equals(first)).toBe(true)
    await call([...words, '--context', '2', '--force'], environment)
    expect((await output('model/in-take-1.wav')).equals(first)).toBe(false)
  })

  test.each([
    [['--generator', 'onnx'], {}, 1, /^No model is installed here/],
    [
      ['--generator', 'onnx'],
      { MUSIC_MODEL: 'none' },
      1,
      /^The model of MUSIC_MODEL cannot be used\. There is no file/,
    ],
    [['--generator', 'choir'], {}, 2, /^--generator must be one of auto, recombine, onnx, mock\./],
    [['--context', '0'], {}, 2, /^--context must be/],
  ] as const)('%j fails with a sentence if it cannot be done', async (words, environment, code, notes) => {
    const called = await call(['continue', 'in.wav', ...words, '-o', 'none'], environment)
    expect(called).toEqual({ code, result: '', notes: expect.stringMatching(notes) })
  })
})

describe('trellis music stems', () => {
  test('writes four stems, whose samples sum to those of the piece', async () => {
    const { code, result, notes } = await call(['stems', 'in.wav', '--json', '-o', 'stems'])
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    const stems = JSON.parse(result) as { name: string; file: string; energy_share: number }[]
    expect(stems.map(({ name, file }) => [name, file])).toEqual(
      ['vocals', 'drums', 'bass', 'other'].map((name) => [name, `stems/in-${name}.wav`]),
    )
    expect(stems.reduce((sum, { energy_share }) => sum + energy_share, 0)).toBeCloseTo(1, 6)
    const blocks = (await Promise.all(stems.map(({ file }) => decoded(file)))).map(({ block }) => block)
    const [source] = (await decodeAll(piece)).block
    const [sum, ...others] = blocks.map(([left]) => Float64Array.from(left ?? []))
    for (const other of others)
      for (const [index, value] of other.entries()) if (sum) sum[index] = (sum[index] ?? 0) + value
    expect(
      Buffer.from(Float32Array.from(sum ?? []).buffer).equals(Buffer.from(Float32Array.from(source ?? []).buffer)),
    ).toBe(true)
  })

  test('explains a model that cannot be used', async () => {
    const called = await call(['stems', 'in.wav', '-o', 'none'], { MUSIC_STEMS_MODEL: join(folder, 'no-model') })
    expect(called).toMatchObject({
      code: 1,
      result: '',
      notes: expect.stringMatching(/^The model of MUSIC_STEMS_MODEL cannot be used\./),
    })
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })
})

describe('trellis music analyse', () => {
  test('finds tempo, metre, beats, key and loudness, as JSON for scripts', async () => {
    const { code, result } = await call(['analyse', 'in.wav', '--json'])
    const found = JSON.parse(result)
    expect([code, found]).toEqual([
      0,
      {
        file: 'in.wav',
        duration_seconds: 8,
        sample_rate: sampleRate,
        channels: 2,
        bpm: expect.closeTo(120, 0),
        metre: '4/4',
        key: expect.any(String),
        key_confidence: expect.any(Number),
        loudness_lufs: expect.any(Number),
        loudness_range_lu: expect.any(Number),
        is_silent: false,
        beats: expect.any(Array),
        downbeats: expect.any(Array),
        sections: [],
      },
    ])
    const { beats, downbeats } = found as { beats: number[]; downbeats: number[] }
    expect([beats.length, downbeats.length]).toEqual([16, 4])
    for (const [index, beat] of beats.entries()) expect(beat).toBeCloseTo(index / 2, 1)
    expect(beats).toEqual(expect.arrayContaining(downbeats))
  })

  test('finds verses and choruses', async () => {
    const score = { bpm: 120, bars: 8, sampleRate, tonic: 57 } as const
    const verse = playBand({ ...score, drums: false }).block
    const chorus = playBand({ ...score, mode: 'minor', seed: 4 }).block
    const parts = [verse, chorus, verse, chorus].map((block) => sliceBlock(block, 0, 16 * sampleRate))
    await writeFile(join(folder, 'song.wav'), await wavOf(joinBlocks(parts, verse.length), sampleRate))
    const { sections } = JSON.parse((await call(['analyse', 'song.wav', '--json'])).result)
    const at = (seconds: number) => expect.closeTo(seconds, 0)
    expect(sections).toEqual([
      { start: at(0), end: at(16), label: 'A' },
      { start: at(16), end: at(32), label: 'B' },
      { start: at(32), end: at(48), label: 'A' },
      { start: at(48), end: at(64), label: 'B' },
    ])
    expect((await call(['analyse', 'song.wav'])).result).toMatch(
      /\nSections +A 0:00, B 0:1[56], A 0:3[12], B 0:4[78]\n/,
    )
  })

  test('prints lines for people, of a pipe, too', async () => {
    const words = [process.execPath, ...trellis(['analyse'])].map((word) => `'${word}'`).join(' ')
    const { code, result, notes } = await endOf(start(['-c', `${words} <(cat in.wav)`], {}, 'bash'))
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    expect(result).toMatch(
      /^File +\S+\nLength +0:08\.0 \(22050 Hz, stereo\)\nTempo +1(19|20)\.\d BPM, 4\/4\nBeats +16, of which 4 begin a bar\nKey +.*\nLoudness +-\d+\.\d LUFS, range \d+\.\d LU\n$/,
    )
  })
})

describe('a music command', () => {
  const silence = () => wavOf([new Float32Array(2 * sampleRate)], sampleRate)
  const short = () => wavOf([new Float32Array(sampleRate / 2).fill(0.1)], sampleRate)
  beforeAll(async () => {
    await writeFile(join(folder, 'silence.wav'), await silence())
    await writeFile(join(folder, 'short.wav'), await short())
    await writeFile(join(folder, 'empty.wav'), '')
    await writeFile(join(folder, 'words.mp3'), 'These are words.')
    await writeFile(join(folder, 'cut.wav'), piece.subarray(0, 30))
  })

  const failures: readonly [string, string[], 1 | 2, RegExp, Record<string, string>?][] = [
    ['no file', ['continue'], 2, /^Which file\? trellis music continue in\.wav/],
    ['two files', ['analyse', 'in.wav', 'b.wav'], 2, /^One file at a time, please: "b\.wav" is too many\./],
    ['a file that does not exist', ['stems', 'nothing.wav'], 1, /^There is no file "nothing\.wav"\./],
    ['a folder', ['analyse', '.'], 1, /^"\." is a folder: name an audio file in it\./],
    ['a device', ['analyse', '/dev/null'], 1, /^"\/dev\/null" is not a file\./],
    ['an empty file', ['analyse', 'empty.wav'], 1, /^The file is empty\./],
    ['a file that is not audio', ['analyse', 'words.mp3'], 1, /^The file is not audio of a known kind: send WAV, AIFF/],
    ['a truncated file', ['analyse', 'cut.wav'], 1, /^The WAV file has no /],
    ['a silent piece', ['continue', 'silence.wav', '-o', 'refused'], 1, /^The piece is silent: there is nothing to/],
    ['a short piece', ['continue', 'short.wav', '-o', 'refused'], 1, /^The audio is shorter than 1 s\./],
    ['a long piece', ['analyse', 'in.wav'], 1, /^The audio is longer than 2 s/, { MUSIC_MAX_SECONDS: '2' }],
    ['a wrong setting', ['analyse', 'in.wav'], 1, /^MUSIC_MAX_SECONDS .*"ten"/, { MUSIC_MAX_SECONDS: 'ten' }],
    ['no second', ['continue', 'in.wav', '--seconds', '0'], 2, /^--seconds must be a number from 1 to 60\./],
    ['half a take', ['continue', 'in.wav', '--takes', '1.5'], 2, /^--takes must be a whole number from 1 to 4\./],
    ['a negative seed', ['continue', 'in.wav', '--seed=-1'], 2, /^--seed must be a whole number from 0 to/],
    [
      'a seed at the end',
      ['continue', 'in.wav', '--takes', '2', '--seed', '9007199254740991'],
      2,
      /^--seed is too large/,
    ],
    ['a long prompt', ['continue', 'in.wav', '--prompt', 'a'.repeat(2_001)], 2, /^--prompt may have at most 2000/],
    ['an unknown format', ['stems', 'in.wav', '--format', 'ogg'], 2, /^--format must be wav, flac, mp3\./],
    ['an unknown option', ['analyse', 'in.wav', '--loud'], 2, /--loud/],
    [
      'an output that is a file',
      ['stems', 'in.wav', '-o', 'in.wav'],
      1,
      /^"in\.wav" is a file, but must be a folder\./,
    ],
    ['an output below a file', ['stems', 'in.wav', '-o', 'in.wav/x'], 1, /is not in a folder/],
  ]
  test.each(sample(failures, 8))(
    'explains %s in a sentence, and leaves nothing behind',
    async (_, words, code, sentence, environment) => {
      const before = await readdir(folder)
      const called = await call(words, { ...mock, ...environment })
      expect(called).toMatchObject({ code, result: '', notes: expect.stringMatching(sentence) })
      expect(called.notes).not.toMatch(/ at .*\.ts:\d/)
      expect(await readdir(folder)).toEqual(before)
    },
  )

  test.skipIf(process.platform !== 'linux')('ends where the folder of its results cannot be created', async () => {
    const called = await call(['stems', 'in.wav', '-o', '/proc/nothing/out'], mock)
    expect(called).toMatchObject({ code: 1, result: '', notes: expect.stringMatching(/^"\/proc\/nothing" cannot be/) })
  })

  test('creates the folders above that of its results', async () => {
    expect(await call(['stems', 'in.wav', '-o', 'above/out/'], mock)).toMatchObject({ code: 0 })
    expect(await readdir(join(folder, 'above', 'out'))).toHaveLength(4)
  })

  test.each(['continue', 'stems', 'analyse'])('%s explains its options with --help', async (name) => {
    const { code, result, notes } = await call([name, '--help'])
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    const [usage = ''] = result.split('\n')
    expect(usage).toMatch(new RegExp(`^Usage: trellis music ${name} FILE `))
    // Each option of the usage is explained below.
    for (const [option] of usage.matchAll(/--?[a-z]+/g)) expect(result.slice(usage.length)).toContain(`  ${option}`)
    expect(result).toContain(`Example: trellis music ${name} in.wav`)
  })
})
