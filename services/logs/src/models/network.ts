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
  /** A vector of length 1 for each text, or the probabilities of the labels; in the order of the texts, one after the other. */
  run: (texts: readonly string[]) => Promise<{ values: Float32Array; width: number }>
  release: () => Promise<void>
}

/** Names that a network may have for what it gives, best first. */
const outputNames: Record<ModelTask, readonly string[]> = {
  embedding: ['sentence_embedding', 'last_hidden_state', 'token_embeddings'],
  classification: ['logits', 'probabilities'],
}

type Runtime = typeof import('onnxruntime-node')

/** Loaded with the first model: it is large, and most installations have none. */
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
    throw new ModelUnusable(`"${device}" is no device for models here; there are ${known.join(', ')}.`)
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

/** The numbers of a batch, row by row: what fills a text up to the longest is masked. */
const inputsOf = (
  runtime: Runtime,
  session: InferenceSession,
  encoded: readonly number[][],
  { places, length }: TextBatch,
) => {
  const size = places.length * length
  const columns: Record<string, BigInt64Array> = {
    input_ids: new BigInt64Array(size),
    attention_mask: new BigInt64Array(size),
    token_type_ids: new BigInt64Array(size),
  }
  places.forEach((place, row) => {
    encoded[place]?.forEach((token, index) => {
      columns.input_ids?.fill(BigInt(token), row * length + index, row * length + index + 1)
      columns.attention_mask?.fill(1n, row * length + index, row * length + index + 1)
    })
  })
  return Object.fromEntries(
    session.inputNames.map((name) => {
      const values = columns[name]
      if (!values) throw new ModelUnusable(`The network asks for "${name}", which is nothing that a text has.`)
      return [name, new runtime.Tensor('int64', values, [places.length, length])]
    }),
  )
}

const floatsOf = (tensor: Tensor, network: string): Float32Array => {
  if (tensor.data instanceof Float32Array) return tensor.data
  throw new ModelUnusable(`${network} gives ${tensor.type} where 32-bit floats are expected.`)
}

/** Loads a network and tries it with one text, so that what does not fit is told now. Throws ModelUnusable. */
export const openNetwork = async (options: NetworkOptions): Promise<Network> => {
  const { files, task } = options
  const encode = createEncoder(files)
  const runtime = await loadRuntime()
  const session = await openSession(runtime, options)
  const output = outputNames[task].find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? ''

  const finish = (values: Float32Array) =>
    task === 'embedding' ? normalized(values) : probabilities(values, files.isMultiLabel)
  const vectorsOf = (tensor: Tensor, encoded: readonly number[][], { places, length }: TextBatch): Float32Array[] => {
    const data = floatsOf(tensor, files.network)
    const width = tensor.dims.at(-1) ?? 0
    if (tensor.dims.length === 2) return places.map((_, row) => finish(data.slice(row * width, (row + 1) * width)))
    if (tensor.dims.length !== 3 || task === 'classification')
      throw new ModelUnusable(
        `${files.network} gives ${tensor.dims.length} dimensions for "${output}", which is no ${task}.`,
      )
    return places.map((place, row) => {
      const rows = data.subarray(row * length * width, (row + 1) * length * width)
      return finish(pool(files.pooling, { rows, length: encoded[place]?.length ?? 0, width }))
    })
  }
  const run: Network['run'] = async (texts) => {
    const encoded = texts.map(encode)
    const vectors: Float32Array[] = new Array(texts.length)
    for (const batch of batchesOf(encoded.map((tokens) => tokens.length))) {
      const results = await session.run(inputsOf(runtime, session, encoded, batch))
      const tensor = results[output]
      if (!tensor) throw new ModelUnusable(`${files.network} gives nothing named "${output}".`)
      vectorsOf(tensor, encoded, batch).forEach((vector, row) => {
        vectors[batch.places[row] ?? 0] = vector
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
      `${files.network} tells ${width} classes, but config.json names ${files.labels.length} labels (id2label).`,
    )
  return { run, release: () => session.release() }
}
