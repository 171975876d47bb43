/** Weights of the features of `related-tempi.ts`, printed by `node services/music/bench/train-related-tempi.ts`. */
export const relatedTempoWeights: readonly number[] = [
  0.3846, 0.4102, -0.1491, 0.2509, 3.147, 3.492, -0.7723, 1.9534, -0.0611, 7.6987, -6.987, -1.4126, 1.3221,
]
