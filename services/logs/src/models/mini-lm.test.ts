import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findMiniLm } from './mini-lm-for-tests.ts'
import { readModelFiles } from './model-files.ts'
import { openNetwork } from './network.ts'

const found = await findMiniLm()
const folder = 'folder' in found ? found.folder : ''

const openAs = async (network: string) => {
  const files = { ...(await readModelFiles(folder)), network: join(folder, network) }
  const opened = await openNetwork({ files, task: 'embedding', device: 'cpu', threads: 1 })
  return { ...opened, files, [Symbol.asyncDispose]: opened.release }
}
const cosine = (values: Float32Array, width: number, [left, right]: readonly [number, number]) => {
  let sum = 0
  for (let index = 0; index < width; index++)
    sum += (values[left * width + index] ?? 0) * (values[right * width + index] ?? 0)
  return sum
}
const sentences = [
  'This is an example sentence',
  'the disk is full',
  'write failed: No space left on device',
  'Accepted publickey for kim from 192.0.2.7 port 50112',
]

describe.skipIf('missing' in found)(
  `all-MiniLM-L6-v2, as built by make-model${'missing' in found ? ` (skipped: ${found.missing})` : ''}`,
  () => {
    test('yields the numbers that its authors publish', async () => {
      await using network = await openAs('onnx/model.onnx')
      const { values, width } = await network.run(sentences)
      expect(width).toBe(384)
      // From the model card of sentence-transformers for this sentence.
      expect([...values.subarray(0, 3)].map((value) => value.toFixed(4))).toEqual(['0.0677', '0.0635', '0.0487'])
    })

    test('ranks sentences of similar meaning closer than others, with 8-bit integers too', async () => {
      for (const name of ['onnx/model.onnx', 'onnx/model_quantized.onnx']) {
        await using network = await openAs(name)
        const { values, width } = await network.run(sentences)
        expect(cosine(values, width, [1, 2])).toBeGreaterThan(cosine(values, width, [1, 3]) + 0.3)
      }
    })

    test('quantized to 8 bits it yields nearly the same directions', async () => {
      await using exact = await openAs('onnx/model.onnx')
      await using rounded = await openAs('onnx/model_quantized.onnx')
      const [one, other] = [await exact.run(sentences), await rounded.run(sentences)]
      const both = Float32Array.of(...one.values, ...other.values)
      for (const index of sentences.keys())
        expect(cosine(both, one.width, [index, index + sentences.length])).toBeGreaterThan(0.97)
    })

    test('reads pooling and token limit from its configuration: mean, at most 256', async () => {
      expect(await readModelFiles(folder)).toMatchObject({ pooling: 'mean', maxTokens: 256, labels: [] })
    })
  },
)
