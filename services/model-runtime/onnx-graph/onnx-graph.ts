import { bytes, encode, type Field, float, integer, integers, message, text } from './protobuf.ts'

/** A tensor's content, row by row. */
export type Weights = { shape: readonly number[]; data: Float32Array | BigInt64Array | Int8Array | Uint8Array }
export type Attribute = number | readonly number[] | { float: number } | { graph: OnnxGraph }
export type Dimension = number | string
export type ElementType = 'float' | 'float16' | 'int64' | 'bool'

/** Writes a model in the format of ONNX (https://onnx.ai/onnx/repo-docs/IR.html), node by node. */
export type OnnxGraph = {
  /** `dimensions` with a name are told at run time. */
  input: (name: string, type: ElementType, dimensions: readonly Dimension[]) => string
  weights: (name: string, weights: Weights) => string
  /** Adds a node with one output and gives that one's name. */
  node: (operator: string, inputs: readonly string[], attributes?: Readonly<Record<string, Attribute>>) => string
  /** The same with several outputs. */
  nodes: (operator: string, inputs: readonly string[], outputs: number) => string[]
  /** Floats, unless another type is named. */
  output: (from: string, name: string, dimensions: readonly Dimension[], type?: ElementType) => void
  finish: () => Buffer
  /** Its content as a part of another graph, of whose values it may use all that are computed before. */
  fields: () => readonly Field[]
}

const operatorSet = 20
const intermediateRepresentation = 9
const elementTypes = { float: 1, uint8: 2, int8: 3, int64: 7, bool: 9, float16: 10 }
const attributeTypes = { float: 1, integer: 2, graph: 5, integers: 7 }

const elementTypeOf = (data: Weights['data']): number => {
  if (data instanceof Float32Array) return elementTypes.float
  if (data instanceof Int8Array) return elementTypes.int8
  return data instanceof Uint8Array ? elementTypes.uint8 : elementTypes.int64
}

const attributeField = (name: string, value: Attribute): Field => {
  if (typeof value === 'number')
    return message(5, [text(1, name), integer(3, value), integer(20, attributeTypes.integer)])
  if ('graph' in value)
    return message(5, [text(1, name), message(6, value.graph.fields()), integer(20, attributeTypes.graph)])
  if ('float' in value) return message(5, [text(1, name), float(2, value.float), integer(20, attributeTypes.float)])
  return message(5, [text(1, name), integers(8, value), integer(20, attributeTypes.integers)])
}

const valueField = (number: number, name: string, elementType: number, dimensions: readonly Dimension[]): Field =>
  message(number, [
    text(1, name),
    message(2, [
      message(1, [
        integer(1, elementType),
        message(
          2,
          dimensions.map((size) => message(1, [typeof size === 'number' ? integer(1, size) : text(2, size)])),
        ),
      ]),
    ]),
  ])

/** The names of values in a graph begin with `prefix`: those in graphs within another must differ from that one's. */
export const createOnnxGraph = (name: string, prefix = ''): OnnxGraph => {
  const nodes: Field[] = []
  const initializers: Field[] = []
  const inputs: Field[] = []
  const outputs: Field[] = []
  let made = 0

  const addNode = (operator: string, from: readonly string[], to: readonly string[], attributes = {}) => {
    const named = Object.entries<Attribute>(attributes).map(([key, value]) => attributeField(key, value))
    nodes.push(
      message(1, [
        ...from.map((input) => text(1, input)),
        ...to.map((output) => text(2, output)),
        text(3, `${operator}_${nodes.length}`),
        text(4, operator),
        ...named,
      ]),
    )
  }
  const namesFor = (operator: string, count: number) =>
    Array.from({ length: count }, () => `${prefix}${operator.toLowerCase()}_${made++}`)
  const fields = () => [...nodes, text(2, name), ...initializers, ...inputs, ...outputs]

  return {
    input: (input, type, dimensions) => {
      inputs.push(valueField(11, input, elementTypes[type], dimensions))
      return input
    },
    weights: (initializer, { shape, data }) => {
      const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      initializers.push(
        message(5, [integers(1, shape), integer(2, elementTypeOf(data)), text(8, initializer), bytes(9, raw)]),
      )
      return initializer
    },
    node: (operator, from, attributes) => {
      const [output = ''] = namesFor(operator, 1)
      addNode(operator, from, [output], attributes)
      return output
    },
    nodes: (operator, from, count) => {
      const to = namesFor(operator, count)
      addNode(operator, from, to)
      return to
    },
    output: (from, output, dimensions, type = 'float') => {
      addNode('Identity', [from], [output])
      outputs.push(valueField(12, output, elementTypes[type], dimensions))
    },
    finish: () =>
      encode([
        integer(1, intermediateRepresentation),
        text(2, 'trellis'),
        message(7, fields()),
        message(8, [text(1, ''), integer(2, operatorSet)]),
      ]),
    fields,
  }
}
