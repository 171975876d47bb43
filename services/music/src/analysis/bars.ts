/** Where bars begin: beat i is beat (i - downbeat) mod beatsPerBar of its bar. */
export type BarGrid = {
  readonly beatsPerBar: 3 | 4
  readonly downbeat: number
}

/** Evidence for downbeats: for each beat how much the harmony changes and how strongly the bass enters there. */
export type BeatAccents = {
  readonly harmonyChange: readonly number[]
  readonly lowOnset: readonly number[]
}

/** Three beats to a bar must explain the accents this much better than four, which are far more common. */
const tripleAdvantage = 1.25

const normalise = (values: readonly number[]): number[] => {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  return values.map((value) => (mean > 0 ? value / mean : 0))
}

/** Mean accent of the beats of a phase; harmony weighs more than the bass drum, which many styles also put on beat three. */
const phaseScores = ({ harmonyChange, lowOnset }: BeatAccents, beatsPerBar: number): number[] => {
  const [harmony, low] = [normalise(harmonyChange), normalise(lowOnset)]
  return Array.from({ length: beatsPerBar }, (_, phase) => {
    let [sum, count] = [0, 0]
    for (let beat = phase; beat < harmony.length; beat += beatsPerBar, count++)
      sum += 2 * (harmony[beat] ?? 0) + (low[beat] ?? 0)
    return count > 0 ? sum / count : 0
  })
}

/** The meter and phase whose first beats are accented most. */
export const findBars = (accents: BeatAccents): BarGrid => {
  const best = ([3, 4] as const).map((beatsPerBar) => {
    const scores = phaseScores(accents, beatsPerBar)
    const top = Math.max(...scores)
    const rest = scores.reduce((sum, score) => sum + score, 0) - top
    return { beatsPerBar, downbeat: scores.indexOf(top), contrast: rest > 0 ? (top * (beatsPerBar - 1)) / rest : 1 }
  })
  const [triple, quadruple] = best
  if (!triple || !quadruple) return { beatsPerBar: 4, downbeat: 0 }
  const isTriple = triple.contrast > 1 && triple.contrast - 1 > (quadruple.contrast - 1) * tripleAdvantage
  const { beatsPerBar, downbeat } = isTriple ? triple : quadruple
  return { beatsPerBar, downbeat }
}
