/** Weights of the features of `tempo-level-features.ts`, printed by `node services/music/bench/train-tempo-level.ts`. */
export const tempoLevelWeights = {
  bias: -0.6532,
  weights: [1.652, 1.6199, 8.7856, -4.2692, 16.7001, 10.3035, -6.7621, 5.127],
} as const
