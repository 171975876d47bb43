/** The metres of bars. In 6/8 a beat is a dotted crotchet, so a bar has two. */
export type Metre = '3/4' | '4/4' | '6/8'

export type BarSize = 2 | 3 | 4

export const beatsPerBar: Record<Metre, BarSize> = { '3/4': 3, '4/4': 4, '6/8': 2 }

/** In the order of the bar pointer. */
export const metres: readonly [Metre, ...Metre[]] = ['4/4', '3/4', '6/8']
