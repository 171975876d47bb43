/** The metres of bars. In 6/8 a beat is a dotted crotchet, so a bar has two. */
export type Metre = '3/4' | '4/4' | '6/8'

export const beatsPerBar: Record<Metre, 2 | 3 | 4> = { '3/4': 3, '4/4': 4, '6/8': 2 }

/** How a beat is divided: the expected strength of onsets (a beat has 1) at shares of the beat. */
export type Division = readonly (readonly [at: number, strength: number])[]

export const divisions = {
  halves: [
    [0.5, 0.45],
    [0.25, 0.12],
    [0.75, 0.12],
  ],
  swung: [
    [2 / 3, 0.4],
    [1 / 3, 0.08],
  ],
  thirds: [
    [1 / 3, 0.45],
    [2 / 3, 0.45],
  ],
} satisfies Record<string, Division>

/** A kind of bar that music is compared with. */
export type BarModel = {
  readonly metre: Metre
  readonly division: keyof typeof divisions
  /** Expected strength of kick and bass, of the snare, of chords that enter, and of changes of harmony, at each beat. */
  readonly low: readonly number[]
  readonly snare: readonly number[]
  readonly chords: readonly number[]
  readonly harmony: readonly number[]
}

/** Templates of common practice, not learned from recordings: the bass enters on one, the snare between, chords change at bars. */
export const barModels: readonly [BarModel, ...BarModel[]] = [
  {
    metre: '4/4',
    division: 'halves',
    low: [1, 0.3, 0.6, 0.3],
    snare: [0, 1, 0, 1],
    chords: [1, 0.3, 0.5, 0.3],
    harmony: [1, 0.1, 0.4, 0.1],
  },
  {
    metre: '4/4',
    division: 'swung',
    low: [1, 0.4, 0.6, 0.4],
    snare: [0, 1, 0, 1],
    chords: [1, 0.3, 0.5, 0.3],
    harmony: [1, 0.1, 0.4, 0.1],
  },
  {
    metre: '3/4',
    division: 'halves',
    low: [1, 0.3, 0.3],
    snare: [0, 1, 1],
    chords: [1, 0.4, 0.4],
    harmony: [1, 0.1, 0.2],
  },
  {
    metre: '3/4',
    division: 'swung',
    low: [1, 0.3, 0.3],
    snare: [0, 1, 1],
    chords: [1, 0.4, 0.4],
    harmony: [1, 0.1, 0.2],
  },
  { metre: '6/8', division: 'thirds', low: [1, 0.4], snare: [0, 1], chords: [1, 0.5], harmony: [1, 0.2] },
]
