import { messageOf } from '@trellis/kit/errors'
import type { Device } from '../../onnx/devices.ts'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { type InferenceSession, openSession, type Runtime, type Tensor } from '../../onnx/runtime.ts'

/** An input or output of a network; dimensions without a number are determined at run time. */
export type Port = {
  readonly name: string
  readonly type: string
  readonly dimensions: readonly (number | undefined)[]
}

export type Values = Readonly<Record<string, Tensor>>

/** A loaded network. */
export type Network = {
  readonly path: string
  readonly inputs: readonly Port[]
  readonly outputs: readonly Port[]
  /** Converts numbers to the type that an input has. */
  tensor(port: Port, values: ArrayLike<number>, dimensions: readonly number[]): Tensor
  run(feeds: Values): Promise<Values>
  release(): Promise<void>
}

const portsOf = (values: InferenceSession['inputMetadata']): Port[] =>
  values.flatMap((value) =>
    value.isTensor
      ? [
          {
            name: value.name,
            type: value.type,
            dimensions: value.shape.map((size) => (typeof size === 'number' && size >= 0 ? size : undefined)),
          },
        ]
      : [],
  )

type Convert = (runtime: Runtime, values: ArrayLike<number>, dimensions: readonly number[]) => Tensor

const converters: Record<string, Convert> = {
  float32: (runtime, values, dimensions) => new runtime.Tensor('float32', Float32Array.from(values), dimensions),
  float16: (runtime, values, dimensions) =>
    new runtime.Tensor('float16', new Uint16Array(Float16Array.from(values).buffer), dimensions),
  int64: (runtime, values, dimensions) =>
    new runtime.Tensor(
      'int64',
      BigInt64Array.from(values, (value) => BigInt(Math.round(value))),
      dimensions,
    ),
  int32: (runtime, values, dimensions) => new runtime.Tensor('int32', Int32Array.from(values), dimensions),
  bool: (runtime, values, dimensions) =>
    new runtime.Tensor(
      'bool',
      Uint8Array.from(values, (value) => (value ? 1 : 0)),
      dimensions,
    ),
}

/**
 * Passes 16-bit floats as the bits that the runtime can read: of any tensor of them it makes a Float16Array, whose length is 0 in
 * its native part (onnxruntime-node 1.30).
 */
const asBits = (tensor: Tensor): void => {
  const { data } = tensor
  if (data instanceof Float16Array)
    Object.assign(tensor, { cpuData: new Uint16Array(data.buffer, data.byteOffset, data.length) })
}

/** Loads a network. Throws ModelUnusable. */
export const openNetwork = async (runtime: Runtime, path: string, device: Device): Promise<Network> => {
  const session = await openSession(runtime, path, device)
  return {
    path,
    inputs: portsOf(session.inputMetadata),
    outputs: portsOf(session.outputMetadata),
    tensor(port, values, dimensions) {
      const convert = converters[port.type]
      if (!convert) throw new ModelUnusable(`The input "${port.name}" of ${path} is of the type ${port.type}.`)
      return convert(runtime, values, dimensions)
    },
    async run(feeds) {
      try {
        for (const tensor of Object.values(feeds)) asBits(tensor)
        return await session.run(feeds)
      } catch (cause) {
        throw new ModelUnusable(`${path} fails: ${messageOf(cause)}`, { cause })
      }
    },
    release: () => session.release(),
  }
}

const shown = (ports: readonly Port[]): string =>
  ports.map(({ name, dimensions }) => `${name} [${dimensions.map((size) => size ?? '?').join(', ')}]`).join(', ')

/** What a network lacks, with what it has. */
export const lacking = ({ path, inputs, outputs }: Network, what: string): ModelUnusable =>
  new ModelUnusable(
    `${path} has no ${what}. Its inputs are ${shown(inputs)}, its outputs ${shown(outputs)}; "names" in model.json names them by their role.`,
  )

/** Names by role: those of the manifest precede the usual ones. */
export type Roles = {
  readonly names: Readonly<Record<string, string>>
  readonly usual: Readonly<Record<string, readonly string[]>>
}

/** The input or output with a role; undefined if there is none. */
export const portOf = (ports: readonly Port[], role: string, { names, usual }: Roles): Port | undefined => {
  const own = names[role]
  const known = own === undefined ? (usual[role] ?? []) : [own]
  return known.map((name) => ports.find((port) => port.name === name)).find((port) => port !== undefined)
}

/** The numbers of an output. Throws ModelUnusable if they are none, or not finite. */
export const floatsOf = (tensor: Tensor | undefined, path: string): Float32Array => {
  const data = tensor?.data
  const values = data instanceof Float16Array ? Float32Array.from(data) : data
  if (!(values instanceof Float32Array)) throw new ModelUnusable(`${path} returns no floats.`)
  for (const value of values)
    if (!Number.isFinite(value)) throw new ModelUnusable(`${path} returns numbers that are not finite.`)
  return values
}

/** The whole numbers of an output. Throws ModelUnusable for any other. */
export const integersOf = (tensor: Tensor | undefined, path: string): Int32Array => {
  const data = tensor?.data
  if (data instanceof BigInt64Array) return Int32Array.from(data, Number)
  if (data instanceof Int32Array) return data
  throw new ModelUnusable(`${path} returns no whole numbers.`)
}
