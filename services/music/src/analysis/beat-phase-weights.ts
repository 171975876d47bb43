/** Log odds of a model of where the beats of a piece are, printed by `node services/music/bench/train-beat-phase.ts`. */
export const beatPhaseWeights = [0.392, 8.909, 2.508]
