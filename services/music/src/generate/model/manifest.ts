import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { readDescription } from '../../onnx/read-description.ts'

/** The description of a model, in its folder. */
export const manifestFile = 'model.json'

const whole = (low: number, high: number) => z.int().min(low).max(high)
const within = (low: number, high: number) => z.number().min(low).max(high)
/** A file of the folder; paths out of it are refused. */
const file = z
  .string()
  .max(200)
  .regex(/^(?!.*\.\.)[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/, 'must be the name of a file in the folder')

const text = z.strictObject({
  /** Tokens of a prompt; what exceeds them is cut off. */
  max_tokens: whole(1, 4_096).default(64),
  /** Numbers per token, if the networks do not declare them. */
  width: whole(1, 16_384).optional(),
  /** How much a prompt is emphasised: 1 not at all; more doubles the work. */
  guidance: within(0, 20).default(1),
})

const shared = {
  name: z.string().min(1).max(200).optional(),
  sample_rate: whole(4_000, 192_000),
  channels: whole(1, 2).default(1),
  /** Samples of one frame of codes or latents. */
  hop: whole(16, 65_536),
  /** Length of what the network sees at a time: the context and what it adds. */
  window_seconds: within(1, 600),
  /** Maximum length of the context; a third of the window by default. */
  context_seconds: within(0.1, 300).optional(),
  /** Maximum length of a continuation. */
  max_seconds: whole(1, 60).default(60),
  text: text.optional(),
  /** Names of inputs and outputs that the networks call otherwise, by their role. */
  names: z.record(z.string().max(64), z.string().min(1).max(200)).default({}),
}

const files = { encoder: file, decoder: file, text_encoder: file.optional(), tokenizer: file.optional() }

const autoregressive = z.strictObject({
  ...shared,
  kind: z.literal('autoregressive'),
  files: z.strictObject({ ...files, network: file }),
  codebooks: whole(1, 32),
  /** Codes of a codebook: 0 to one less. */
  codebook_size: whole(2, 65_536),
  /** The token where there is no code; by default the one after the last code. */
  special_token: whole(0, 65_536).optional(),
  /** Columns by which each codebook is delayed; by default one more for each. */
  delays: z.array(whole(0, 64)).max(32).optional(),
  temperature: within(0.01, 10).default(1),
  /** Of how many of the most likely codes one is drawn. */
  top_k: whole(1, 65_536).default(250),
  /** How many columns the network draws at each call, in a loop of its own; absent if it returns logits of one. */
  steps_per_call: whole(1, 5_000).optional(),
  /** Shape of the cached keys and values, if the network does not declare it. */
  past: z.strictObject({ heads: whole(1, 1_024), head_size: whole(1, 4_096) }).optional(),
})

const rectifiedFlow = z.strictObject({
  type: z.literal('rectified_flow'),
  steps: whole(1, 1_000),
  /** Above 1, more of the steps are spent on much noise. */
  shift: within(0.01, 100).default(1),
})
const ddim = z.strictObject({
  type: z.literal('ddim'),
  steps: whole(1, 1_000),
  train_steps: whole(2, 10_000).default(1_000),
  beta_start: within(1e-7, 0.5).default(0.00085),
  beta_end: within(1e-7, 0.999).default(0.012),
  beta_schedule: z.enum(['linear', 'scaled_linear', 'cosine']).default('scaled_linear'),
  /** What the network estimates. */
  predicts: z.enum(['noise', 'velocity', 'sample']).default('noise'),
})

const latent = z.strictObject({
  ...shared,
  kind: z.literal('latent'),
  files: z.strictObject({ ...files, network: file }),
  /** Numbers of one frame. */
  latent_channels: whole(1, 4_096),
  /** Latents are shifted, then scaled, before the network sees them. */
  latent_scale: within(1e-6, 1e6).default(1),
  latent_shift: within(-1e6, 1e6).default(0),
  scheduler: z.discriminatedUnion('type', [rectifiedFlow, ddim]),
})

const manifest = z.discriminatedUnion('kind', [autoregressive, latent])

export type AutoregressiveManifest = z.infer<typeof autoregressive>
export type LatentManifest = z.infer<typeof latent>
export type Manifest = AutoregressiveManifest | LatentManifest
export type Scheduler = LatentManifest['scheduler']

/** A model as its folder describes it. */
export type ModelFolder = {
  readonly folder: string
  readonly manifest: Manifest
  /** Maximum length of the context, in seconds. */
  readonly contextSeconds: number
  /** Size of its networks with their weights, in bytes. */
  readonly bytes: number
  /** Changes with the files. */
  readonly version: string
}

/** Largest size of all networks, in bytes. */
const largestModel = 64 * 2 ** 30
/** Suffixes of files that hold the weights of a network beside it. */
const weightSuffixes = ['', '_data', '.data']

/** Shares of the window that are the context by default and at most: the rest is generated. */
const contextShares = { usual: 1 / 3, largest: 0.9 }

const faultOf = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `"${path.join('.')}": ${message}`

/** Contradictions that no field shows alone. */
const contradictionsOf = (model: Manifest): string | undefined => {
  const { window_seconds, context_seconds, sample_rate, hop, text, files } = model
  if (window_seconds * sample_rate < 4 * hop) return '"window_seconds" must be at least four times "hop".'
  if (context_seconds !== undefined && context_seconds > contextShares.largest * window_seconds)
    return `"context_seconds" must be at most ${contextShares.largest} of "window_seconds": the rest is generated.`
  if ((files.text_encoder === undefined) !== (files.tokenizer === undefined))
    return '"files.text_encoder" and "files.tokenizer" must both be present or both absent.'
  if (text === undefined && files.text_encoder !== undefined) return '"text" must describe the text encoder.'
  if (model.kind === 'latent') {
    const { scheduler } = model
    if (scheduler.type === 'ddim' && scheduler.steps > scheduler.train_steps)
      return '"scheduler.steps" must be at most "scheduler.train_steps".'
    return undefined
  }
  if (model.delays !== undefined && model.delays.length !== model.codebooks)
    return '"delays" must have one number for each codebook.'
  return undefined
}

const parse = (description: unknown, path: string): Manifest => {
  const read = manifest.safeParse(description)
  if (!read.success) {
    const faults = read.error.issues.slice(0, 3).map(faultOf)
    throw new ModelUnusable(`${path} cannot be used. ${faults.join('; ')}.`)
  }
  const contradiction = contradictionsOf(read.data)
  if (contradiction !== undefined) throw new ModelUnusable(`${path} cannot be used. ${contradiction}`)
  return read.data
}

const sizeOf = async (path: string): Promise<number> => {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isFile()) throw new ModelUnusable(`There is no file ${path}.`)
  const weights = await Promise.all(weightSuffixes.slice(1).map((suffix) => stat(path + suffix).catch(() => undefined)))
  return weights.reduce((sum, one) => sum + (one?.isFile() ? one.size : 0), info.size)
}

/** Reads the folder of a model, except for the networks themselves. Throws ModelUnusable. */
export const readModelFolder = async (folder: string): Promise<ModelFolder> => {
  const path = join(folder, manifestFile)
  const description = await readDescription(path)
  if (!description) throw new ModelUnusable(`There is no file ${path}.`)
  const model = parse(description, path)
  const named = [...new Set(Object.values(model.files).filter((name) => name !== undefined))]
  const sizes = await Promise.all(named.map((name) => sizeOf(join(folder, name))))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes > largestModel) throw new ModelUnusable(`The files of ${folder} have ${bytes} bytes: too many for a model.`)
  const { mtimeMs } = await stat(path)
  const contextSeconds = model.context_seconds ?? contextShares.usual * model.window_seconds
  return { folder, manifest: model, contextSeconds, bytes, version: `${mtimeMs}/${sizes.join('/')}` }
}
