/**
 * Log odds of a model of where the beats of a piece are, printed by `node services/music/bench/train-beat-phase.ts`, except for the last one:
 * `docs/decisions/0058-tempo-and-bars-are-decided-over-the-whole-piece.md` says why.
 */
export const beatPhaseWeights = [0.395, 9.87, 2.335, 0.4]
