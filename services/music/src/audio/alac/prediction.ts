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
 * Adapts coefficients to the sign of an error: from the oldest sample on, each moves by one in the direction that would have made the
 * error smaller, until the error is used up.
 */
const adapt = (
  coefficients: Int16Array,
  values: Int32Array,
  { at, base, error, shift }: { at: number; base: number; error: number; shift: number },
): void => {
  const order = coefficients.length
  if (error > 0) {
    for (let k = order - 1, left = error; k >= 0 && left > 0; k--) {
      const difference = (base - (values[at - 1 - k] ?? 0)) | 0
      coefficients[k] = (coefficients[k] ?? 0) - Math.sign(difference)
      left -= (order - k) * (Math.abs(difference) >> shift)
    }
  } else {
    for (let k = order - 1, left = error; k >= 0 && left < 0; k--) {
      const difference = (base - (values[at - 1 - k] ?? 0)) | 0
      coefficients[k] = (coefficients[k] ?? 0) + Math.sign(difference)
      left -= (order - k) * (-Math.abs(difference) >> shift)
    }
  }
}

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
    let sum = half
    for (let k = 0; k < order; k++)
      sum = (sum + Math.imul(coefficients[k] ?? 0, ((values[at - 1 - k] ?? 0) - base) | 0)) | 0
    const error = values[at] ?? 0
    values[at] = ((error + base + (sum >> shift)) << wrap) >> wrap
    if (error !== 0) adapt(coefficients, values, { at, base, error, shift })
  }
}
