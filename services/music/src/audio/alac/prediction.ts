/** An adaptive linear prediction; without coefficients each value is predicted by the last one. */
export type Prediction = {
  readonly coefficients: Int16Array | undefined
  /** Fixed point of the coefficients. */
  readonly shift: number
  /** Bits of a sample, beyond which sums wrap. */
  readonly size: number
}

/** Converts prediction errors to samples, each being the last one plus its error. */
const accumulate = (values: Int32Array, wrap: number, until: number): void => {
  for (let at = 1; at < Math.min(until, values.length); at++) {
    values[at] = (((values[at] ?? 0) + (values[at - 1] ?? 0)) << wrap) >> wrap
  }
}

/** The order that stands for a prediction by the last value. */
const lastValueOrder = 31

/**
 * Converts prediction errors to samples in place (ALAC reference, "unpc_block"). The coefficients follow the signs of the errors,
 * so they change with each sample.
 */
export const predict = (values: Int32Array, { coefficients, shift, size }: Prediction): void => {
  const wrap = 32 - size
  const order = coefficients?.length ?? lastValueOrder
  if (coefficients === undefined || order === lastValueOrder) {
    accumulate(values, wrap, values.length)
    return
  }
  if (order === 0) return
  accumulate(values, wrap, order + 1)
  const half = shift > 0 ? 1 << (shift - 1) : 0
  for (let at = order + 1; at < values.length; at++) {
    const base = values[at - order - 1] ?? 0
    let sum = 0
    for (let k = 0; k < order; k++) sum = (sum + Math.imul(coefficients[k] ?? 0, (values[at - 1 - k] ?? 0) - base)) | 0
    const error = values[at] ?? 0
    values[at] = ((error + base + ((sum + half) >> shift)) << wrap) >> wrap
    const sign = Math.sign(error)
    let left = error
    for (let k = order - 1; k >= 0 && left * sign > 0; k--) {
      const difference = (base - (values[at - 1 - k] ?? 0)) | 0
      const step = Math.sign(difference) * sign
      coefficients[k] = (coefficients[k] ?? 0) - step
      left -= (order - k) * ((step * difference) >> shift)
    }
  }
}
