/** The order of the prediction: enough for a few dozen partials. */
const ORDER = 320
/** Maximum samples that the prediction is estimated from. */
const learnedFrom = 8192
/** Slight broadening of every resonance, so that an extrapolation decays and cannot grow. */
const damping = 0.9995

/** Prediction coefficients of a signal by Burg's method: x[n] is about -Σ a[k] x[n-k]. */
const burg = (signal: Float64Array, order: number): Float64Array => {
  const forward = Float64Array.from(signal)
  const backward = Float64Array.from(signal)
  let coefficients = new Float64Array([1])
  for (let m = 1; m <= order; m++) {
    let [numerator, denominator] = [0, 0]
    for (let n = m; n < signal.length; n++) {
      const f = forward[n] ?? 0
      const b = backward[n - 1] ?? 0
      numerator += f * b
      denominator += f * f + b * b
    }
    if (denominator < 1e-12) break
    const reflection = (-2 * numerator) / denominator
    const next = new Float64Array(m + 1)
    for (let k = 0; k <= m; k++) next[k] = (coefficients[k] ?? 0) + reflection * (coefficients[m - k] ?? 0)
    coefficients = next
    // In place, from the end, because each value needs the previous one of `backward`. Values before `m` are not read again.
    for (let n = signal.length - 1; n >= m; n--) {
      const f = forward[n] ?? 0
      const b = backward[n - 1] ?? 0
      forward[n] = f + reflection * b
      backward[n] = b + reflection * f
    }
  }
  return coefficients.map((value, k) => value * damping ** k)
}

/**
 * Extrapolates a channel beyond its end, as if its sounds continued: `length` samples by linear prediction (Burg, as Kauppinen
 * and Roth use it for lost samples, DAFx 2002). Good for some tens of milliseconds, then it decays.
 */
export const extrapolate = (past: Float32Array, length: number): Float32Array => {
  const known = Float64Array.from(past.subarray(Math.max(0, past.length - learnedFrom)))
  const order = Math.min(ORDER, Math.floor(known.length / 3))
  const result = new Float32Array(length)
  if (order < 1) return result
  const coefficients = burg(known, order)
  const history = new Float64Array(known.length + length)
  history.set(known)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (let k = 1; k < coefficients.length; k++) sum -= (coefficients[k] ?? 0) * (history[known.length + i - k] ?? 0)
    history[known.length + i] = sum
    result[i] = sum
  }
  return result
}
