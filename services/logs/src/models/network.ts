import { messageOf } from '@trellis/kit/errors'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { batchesOf, type TextBatch } from './batches.ts'
import { createEncoder } from './encode-texts.ts'
import { type ModelFiles, ModelUnusable } from './model-files.ts'
import { normalized, pool, probabilities } from './outputs.ts'

export type ModelTask = 'embedding' | 'classification'

export type NetworkOptions = { files: ModelFiles; task: ModelTask; device: string; threads: number }

/** A loaded network. */
export type Network = {
  /** For each text, in order: a normalized vector, or the probabilities of the labels; concatenated. */
  run: (texts: readonly string[]) => Promise<{ values: Float32Array; width: number }>
  release: () => Promise<void>
}

/** Names of the output, in order of preference. */
const outputNames: Record<ModelTask, readonly string[]> = {
  embedding: ['sentence_embedding', 'last_hidden_state', 'token_embeddings'],
  classification: ['logits', 'probabilities'],
}

type Runtime = typeof import('onnxruntime-node')

/** Loaded with the first model: it is large, and most installations use none. */
const loadRuntime = async (): Promise<Runtime> => {
  try {
    const loaded = await import('onnxruntime-node')
    return loaded.default ?? loaded
  } catch (cause) {
    throw new ModelUnusable(
      `The package onnxruntime-node, which runs models, is not installed or cannot run here (${String(cause)}). "npm start" installs it when a model is set in its environment.`,
      { cause },
    )
  }
}

const openSession = async (runtime: Runtime, { files, device, threads }: NetworkOptions) => {
  const known = runtime.listSupportedBackends().map(({ name }) => name)
  if (!known.includes(device))
    throw new ModelUnusable(`"${device}" is not available as a device for models; available are ${known.join(', ')}.`)
  try {
    return await runtime.InferenceSession.create(files.network, {
      executionProviders: [device],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    })
  } catch (cause) {
    const reason = messageOf(cause)
    throw new ModelUnusable(`${files.network} cannot be loaded on the device "${device}": ${reason}`, { cause })
  }
}

/** The input tensors of a batch, row by row; padding is masked. */
const inputsOf = (
  runtime: Runtime,
  session: InferenceSession,
  encoded: readonly number[][],
  { indexes, length }: TextBatch,
) => {
  const size = indexes.length * length
  const columns: Record<string, BigInt64Array> = {
    input_ids: new BigInt64Array(size),
    attention_mask: new BigInt64Array(size),
    token_type_ids: new BigInt64Array(size),
  }
  indexes.forEach((textIndex, row) => {
    encoded[textIndex]?.forEach((token, index) => {
      columns.input_ids?.fill(BigInt(token), row * length + index, row * length + index + 1)
      columns.attention_mask?.fill(1n, row * length + index, row * length + index + 1)
    })
  })
  return Object.fromEntries(
    session.inputNames.map((name) => {
      const values = columns[name]
      if (!values) throw new ModelUnusable(`The network requires the unsupported input "${name}".`)
      return [name, new runtime.Tensor('int64', values, [indexes.length, length])]
    }),
  )
}

const floatsOf = (tensor: Tensor, network: string): Float32Array => {
  if (tensor.data instanceof Float32Array) return tensor.data
  throw new ModelUnusable(`${network} returns ${tensor.type} instead of 32-bit floats.`)
}

/** Loads a network and runs it on one text, so that problems are reported at once. Throws ModelUnusable. */
export const openNetwork = async (options: NetworkOptions): Promise<Network> => {
  const { files, task } = options
  const encode = createEncoder(files)
  const runtime = await loadRuntime()
  const session = await openSession(runtime, options)
  const output = outputNames[task].find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? ''

  const finish = (values: Float32Array) =>
    task === 'embedding' ? normalized(values) : probabilities(values, files.isMultiLabel)
  const vectorsOf = (tensor: Tensor, encoded: readonly number[][], { indexes, length }: TextBatch): Float32Array[] => {
    const data = floatsOf(tensor, files.network)
    const width = tensor.dims.at(-1) ?? 0
    if (tensor.dims.length === 2) return indexes.map((_, row) => finish(data.slice(row * width, (row + 1) * width)))
    if (tensor.dims.length !== 3 || task === 'classification')
      throw new ModelUnusable(
        `${files.network} returns ${tensor.dims.length} dimensions for "${output}", which is not a valid ${task}.`,
      )
    return indexes.map((textIndex, row) => {
      const rows = data.subarray(row * length * width, (row + 1) * length * width)
      return finish(pool(files.pooling, { rows, length: encoded[textIndex]?.length ?? 0, width }))
    })
  }
  const run: Network['run'] = async (texts) => {
    const encoded = texts.map(encode)
    const vectors: Float32Array[] = new Array(texts.length)
    for (const batch of batchesOf(encoded.map((tokens) => tokens.length))) {
      const results = await session.run(inputsOf(runtime, session, encoded, batch))
      const tensor = results[output]
      if (!tensor) throw new ModelUnusable(`${files.network} has no output named "${output}".`)
      vectorsOf(tensor, encoded, batch).forEach((vector, row) => {
        vectors[batch.indexes[row] ?? 0] = vector
      })
    }
    const width = vectors[0]?.length ?? 0
    const values = new Float32Array(width * vectors.length)
    vectors.forEach((vector, index) => {
      values.set(vector, index * width)
    })
    return { values, width }
  }
  const { width } = await run(['a first text']).catch((error: unknown) => {
    if (error instanceof ModelUnusable) throw error
    throw new ModelUnusable(`${files.network} fails: ${messageOf(error)}`, {
      cause: error,
    })
  })
  if (task === 'classification' && width !== files.labels.length)
    throw new ModelUnusable(
      `${files.network} has ${width} classes, but config.json names ${files.labels.length} labels (id2label).`,
    )
  return { run, release: () => session.release() }
}
