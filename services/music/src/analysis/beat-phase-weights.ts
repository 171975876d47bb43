/** Log odds of a model of where the beats of a piece are, printed by `node services/music/bench/train-beat-phase.ts`. */
export const beatPhaseWeights = [0.395, 9.87, 2.335]
