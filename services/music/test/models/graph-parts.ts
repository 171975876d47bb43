import type { OnnxGraph } from '@trellis/model-runtime/onnx-graph'

/** Shorthands for writing a network. */
export const graphParts = (graph: OnnxGraph) => {
  let constants = 0
  const name = () => `constant_${constants++}`
  const integers = (...values: number[]) =>
    graph.weights(name(), { shape: [values.length], data: BigInt64Array.from(values, (value) => BigInt(value)) })
  const scalar = (value: number) => graph.weights(name(), { shape: [], data: Float32Array.of(value) })
  const table = (shape: readonly number[], data: Float32Array) => graph.weights(name(), { shape, data })
  return {
    integers,
    scalar,
    table,
    add: (a: string, b: string) => graph.node('Add', [a, b]),
    subtract: (a: string, b: string) => graph.node('Sub', [a, b]),
    multiply: (a: string, b: string) => graph.node('Mul', [a, b]),
    divide: (a: string, b: string) => graph.node('Div', [a, b]),
    product: (a: string, b: string) => graph.node('MatMul', [a, b]),
    turned: (a: string, perm: readonly number[]) => graph.node('Transpose', [a], { perm }),
    reshaped: (a: string, ...size: number[]) => graph.node('Reshape', [a, integers(...size)]),
    joined: (parts: readonly string[], axis: number) => graph.node('Concat', parts, { axis }),
    /** From `start` to `end` along an axis; negative ones count from the end. */
    sliced: (a: string, start: number, end: number, axis: number) =>
      graph.node('Slice', [a, integers(start), integers(end), integers(axis)]),
    summed: (a: string, axis: number) => graph.node('ReduceSum', [a, integers(axis)], { keepdims: 1 }),
    wide: (a: string, ...axes: number[]) => graph.node('Unsqueeze', [a, integers(...axes)]),
    narrow: (a: string, ...axes: number[]) => graph.node('Squeeze', [a, integers(...axes)]),
    /** The row of a table for each whole number. */
    looked: (rows: string, numbers: string) => graph.node('Gather', [rows, numbers]),
    float: (a: string) => graph.node('Cast', [a], { to: 1 }),
  }
}

/** Beyond the end of any slice. */
export const toEnd = 2 ** 31 - 1
