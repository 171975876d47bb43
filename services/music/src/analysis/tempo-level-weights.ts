/** Weights of the features of `tempo-level-features.ts`, printed by `node services/music/bench/train-tempo-level.ts`. */
export const tempoLevelWeights = {
  bias: -0.6377,
  weights: [1.6925, 1.736, 9.0657, -4.2131, 15.925, 10.1761, -6.8091, 5.2317],
} as const
