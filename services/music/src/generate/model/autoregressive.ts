import { ModelUnusable } from '../../onnx/model-unusable.ts'
import type { Tensor } from '../../onnx/runtime.ts'
import { frameCount, rowsOf } from './codec.ts'
import type { AutoregressiveManifest } from './manifest.ts'
import { floatsOf, integersOf, lacking, type Network, type Port, portOf, type Roles, type Values } from './network.ts'
import { drawCode } from './sampling.ts'
import type { SequenceModel } from './sequence-model.ts'
import type { TextStates } from './text.ts'

/** Names that exports of MusicGen have for their inputs and outputs. */
const usual: Roles['usual'] = {
  tokens: ['decoder_input_ids', 'input_ids', 'tokens'],
  text: ['encoder_hidden_states', 'encoder_outputs', 'text_states'],
  text_mask: ['encoder_attention_mask', 'attention_mask', 'text_mask'],
  use_cache: ['use_cache_branch'],
  logits: ['logits'],
  forced: ['forced_tokens'],
  noise: ['noise'],
  drawn: ['drawn_tokens'],
}
const pastPrefix = 'past_key_values.'
const presentPrefix = 'present.'
/** Keys and values of the text do not change after the first step, in which alone they are computed. */
const ofText = '.encoder.'
/** In place of the token of a code that a network is to draw itself. */
const free = -1

type Ports = {
  readonly tokens: Port
  readonly text: Port | undefined
  readonly textMask: Port | undefined
  readonly useCache: Port | undefined
  readonly past: readonly Port[]
  readonly output: Port
  /** Of a network that draws several columns itself. */
  readonly loop: { readonly forced: Port; readonly noise: Port } | undefined
}

const portsOf = (network: Network, { names, steps_per_call: perCall }: AutoregressiveManifest): Ports => {
  const roles = { names, usual }
  const input = (role: string) => portOf(network.inputs, role, roles)
  const [tokens, text, textMask, useCache] = [input('tokens'), input('text'), input('text_mask'), input('use_cache')]
  const past = network.inputs.filter(({ name }) => name.startsWith(pastPrefix))
  const [forced, noise] = [input('forced'), input('noise')]
  const role = perCall === undefined ? 'logits' : 'drawn'
  const output = portOf(network.outputs, role, roles)
  if (!tokens) throw lacking(network, 'input "tokens"')
  if (!output) throw lacking(network, `output "${role}"`)
  if (perCall !== undefined && !(forced && noise)) throw lacking(network, 'inputs "forced" and "noise"')
  const loop = perCall !== undefined && forced && noise ? { forced, noise } : undefined
  const known = [tokens, text, textMask, useCache, loop?.forced, loop?.noise, ...past]
  const other = network.inputs.find((port) => !known.includes(port))
  if (other) throw lacking(network, `known use for its input "${other.name}"`)
  for (const { name } of past)
    if (!network.outputs.some((output) => output.name === presentPrefix + name.slice(pastPrefix.length)))
      throw lacking(network, `output "${presentPrefix}${name.slice(pastPrefix.length)}" for the input "${name}"`)
  return { tokens, text, textMask, useCache, past, output, loop }
}

/**
 * The columns of tokens that the network sees. Codebook k is delayed by `delays[k]` columns, so that codes of a frame may depend
 * on those of the codebooks before it (Copet et al., "Simple and Controllable Music Generation", 2023). Column 0 has no code.
 */
export const delayedColumns = (delays: readonly number[]) => {
  const [min, max] = [Math.min(...delays), Math.max(...delays)]
  return {
    /** The frame whose code of a codebook is in a column; negative before the first. */
    frameAt: (column: number, codebook: number): number => column - 1 - (delays[codebook] ?? 0),
    /** The number of leading columns that only contain codes of the first `frames` frames. */
    known: (frames: number): number => frames + 1 + min,
    /** The number of columns that contain all codes of the first `frames` frames. */
    all: (frames: number): number => frames + 1 + max,
  }
}

/** A generator of codes, step by step. Throws ModelUnusable if the network has another interface. */
export const createAutoregressive = (manifest: AutoregressiveManifest, network: Network): SequenceModel => {
  const { codebooks, codebook_size: size, special_token: special = size, temperature, top_k: topK, past } = manifest
  const delays = manifest.delays ?? Array.from({ length: codebooks }, (_, index) => index)
  const columns = delayedColumns(delays)
  const perCall = manifest.steps_per_call ?? 1
  const ports = portsOf(network, manifest)
  const guidance = manifest.text?.guidance ?? 1
  const width = ports.text?.dimensions.at(-1) ?? manifest.text?.width
  if (ports.text && width === undefined)
    throw new ModelUnusable(`"text.width" in model.json must be how many numbers "${ports.text.name}" has per token.`)

  const emptyPast = (batch: number): Record<string, Tensor> =>
    Object.fromEntries(
      ports.past.map((port) => {
        const heads = port.dimensions[1] ?? past?.heads
        const headSize = port.dimensions[3] ?? past?.head_size
        if (heads === undefined || headSize === undefined || port.dimensions.length !== 4)
          throw new ModelUnusable(`"past" in model.json must be the shape that "${port.name}" of ${network.path} has.`)
        return [port.name, network.tensor(port, [], [batch, heads, 0, headSize])]
      }),
    )

  /** The text for each row of the batch: the second one, if there is guidance, has none. */
  const textFeeds = (text: TextStates | undefined, batch: number): Record<string, Tensor> => {
    const length = text?.mask.length ?? 1
    const wide = width ?? 1
    if (text && ports.text && text.width !== wide)
      throw new ModelUnusable(
        `The text encoder returns ${text.width} numbers per token; "${ports.text.name}" has ${wide}.`,
      )
    const states = new Float32Array(batch * length * wide)
    const mask = new Float32Array(batch * length)
    if (text) {
      states.set(text.states)
      mask.set(text.mask)
    }
    return {
      ...(ports.text && { [ports.text.name]: network.tensor(ports.text, states, [batch, length, wide]) }),
      ...(ports.textMask && { [ports.textMask.name]: network.tensor(ports.textMask, mask, [batch, length]) }),
    }
  }

  /** Logits of the next column, codebook by codebook. */
  const lastLogits = (results: Values, batch: number): Float32Array[] => {
    const tensor = results[ports.output.name]
    const values = floatsOf(tensor, network.path)
    const [rows = 0, length = 0, vocabulary = 0] = tensor?.dims ?? []
    if (rows !== batch * codebooks || length < 1 || vocabulary < size)
      throw new ModelUnusable(
        `${network.path} returns logits [${tensor?.dims.join(', ')}]: [${batch * codebooks}, columns, ${size}] is expected.`,
      )
    const at = (row: number) => {
      const start = (row * length + length - 1) * vocabulary
      return values.subarray(start, start + size)
    }
    return Array.from({ length: codebooks }, (_, codebook) => {
      const conditional = at(codebook)
      if (batch === 1) return conditional
      // Classifier-free guidance (Ho and Salimans, 2022).
      const plain = at(codebooks + codebook)
      return conditional.map((value, index) => (plain[index] ?? 0) + guidance * (value - (plain[index] ?? 0)))
    })
  }

  /** Columns that a network has drawn by itself, codebook by codebook. */
  const drawnColumns = (results: Values, count: number): Float32Array[] => {
    const tensor = results[ports.output.name]
    const values = integersOf(tensor, network.path)
    const [rows = 0, length = 0] = tensor?.dims ?? []
    if (rows !== codebooks || length < count)
      throw new ModelUnusable(
        `${network.path} returns [${tensor?.dims.join(', ')}] drawn tokens: [${codebooks}, ${count}] are expected.`,
      )
    return rowsOf(values, codebooks)
  }

  return {
    async extend(known, { count, text, random, onStep }) {
      const contextLength = frameCount(known)
      const total = contextLength + count
      const batch = text && ports.text && guidance !== 1 ? 2 : 1
      const added = known.map(() => new Float32Array(count))
      const codeAt = (frame: number, codebook: number): number => {
        if (frame < 0 || frame >= total) return special
        return (frame < contextLength ? known[codebook]?.[frame] : added[codebook]?.[frame - contextLength]) ?? special
      }
      const tokensOf = (from: number, to: number): Tensor => {
        const row = known.flatMap((_, codebook) =>
          Array.from({ length: to - from }, (__, index) => codeAt(columns.frameAt(from + index, codebook), codebook)),
        )
        const rows = Array.from({ length: batch }, () => row).flat()
        return network.tensor(ports.tokens, rows, [batch * codebooks, to - from])
      }
      const [first, end] = [columns.known(contextLength), columns.all(total)]
      const feeds = { ...textFeeds(text, batch), ...emptyPast(batch) }
      const isCached = ports.past.length > 0
      /** Whether a code is to be drawn: delayed codebooks still have known codes in the first columns, and none in the last. */
      const isFree = (column: number, codebook: number): boolean => {
        const frame = columns.frameAt(column, codebook)
        return frame >= contextLength && frame < total
      }
      const setCode = (column: number, codebook: number, code: number): void => {
        const row = added[codebook]
        if (row && isFree(column, codebook)) row[columns.frameAt(column, codebook) - contextLength] = code
      }
      /** Random numbers for the codes to draw, and the tokens of all others. */
      const loopFeeds = ({ forced, noise }: NonNullable<Ports['loop']>, column: number, steps: number) => {
        const length = noise.dimensions.at(-1) ?? steps
        const [numbers, tokens] = [new Float32Array(codebooks * length), new Float32Array(codebooks * length)]
        for (let step = 0; step < length; step++)
          for (let codebook = 0; codebook < codebooks; codebook++) {
            const isDrawn = isFree(column + step, codebook)
            numbers[codebook * length + step] = isDrawn ? random.next() : 0
            tokens[codebook * length + step] = isDrawn
              ? free
              : codeAt(columns.frameAt(column + step, codebook), codebook)
          }
        return {
          [noise.name]: network.tensor(noise, numbers, [codebooks, length]),
          [forced.name]: network.tensor(forced, tokens, [codebooks, length]),
        }
      }
      for (let column = first; column < end; column += perCall) {
        const steps = Math.min(perCall, end - column)
        onStep(column - first, end - first)
        feeds[ports.tokens.name] = tokensOf(isCached && column > first ? column - 1 : 0, column)
        if (ports.useCache) feeds[ports.useCache.name] = network.tensor(ports.useCache, [column > first ? 1 : 0], [1])
        if (ports.loop) Object.assign(feeds, loopFeeds(ports.loop, column, steps))
        const results = await network.run(feeds)
        if (ports.loop) {
          for (const [codebook, drawn] of drawnColumns(results, steps).entries())
            for (let step = 0; step < steps; step++) setCode(column + step, codebook, drawn[step] ?? special)
        } else {
          for (const [codebook, logits] of lastLogits(results, batch).entries())
            if (isFree(column, codebook)) setCode(column, codebook, drawCode(logits, { temperature, topK }, random))
        }
        for (const { name } of ports.past) {
          const present = results[presentPrefix + name.slice(pastPrefix.length)]
          if (present && (column === first || !name.includes(ofText))) feeds[name] = present
        }
      }
      return added
    },
  }
}
