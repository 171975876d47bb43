/** Kinds of evidence for the position of a beat in its bar. */
export const barEvidence = ['accent', 'low', 'snare', 'chords', 'harmony'] as const
export type BarEvidence = (typeof barEvidence)[number]

/** Beats per bar. */
export type BarSize = 2 | 3 | 4

type BarWeights = {
  /** Of each kind of evidence at each position. */
  readonly positions: Record<BarSize, Record<BarEvidence, readonly number[]>>
  /** Of bars of three beats, and of the metre of the bar pointer. */
  readonly triple: number
  readonly decoded: number
}

/** Log odds of a model of the bars of a piece, printed by `node services/music/bench/train-bars.ts`. */
export const barWeights: BarWeights = {
  positions: {
    '2': {
      accent: [0.777, -0.777],
      low: [1.022, -1.022],
      snare: [-0.17, 0.17],
      chords: [-0.504, 0.504],
      harmony: [1.114, -1.114],
    },
    '3': {
      accent: [1.06, -1.364, -0.796],
      low: [1.557, -1.987, -1.267],
      snare: [0.319, 0.152, -1.048],
      chords: [-0.087, -0.455, 0.863],
      harmony: [1.231, -0.946, -1.227],
    },
    '4': {
      accent: [1.114, -0.028, -1.09, -0.767],
      low: [0.442, -0.444, 0.193, -0.639],
      snare: [0.684, -0.446, -0.866, 0.443],
      chords: [0.059, -0.182, -0.308, 0.314],
      harmony: [1.282, -1.409, -1.175, -0.864],
    },
  },
  triple: -1.046,
  decoded: 0.859,
}
