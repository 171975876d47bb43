import type { Section } from '../analysis/structure.ts'
import { meanOf } from '../dsp/statistics.ts'

/** Sections that a prompt can name. */
export type SectionName = 'chorus' | 'verse' | 'bridge' | 'intro'

/** Sections that sound alike. */
type Group = { readonly sections: readonly Section[]; readonly beats: number; readonly level: number }

const groupsOf = (sections: readonly Section[], levels: readonly number[]): Group[] =>
  [...Map.groupBy(sections, ({ label }) => label).values()].map((alike) => {
    const own = alike.flatMap(({ firstBeat, endBeat }) => levels.slice(firstBeat, endBeat))
    return { sections: alike, beats: own.length, level: meanOf(own) }
  })

const largest = (groups: readonly Group[], measure: (group: Group) => number): Group | undefined =>
  groups.reduce<Group | undefined>((best, group) => (best && measure(best) >= measure(group) ? best : group), undefined)

/**
 * The sections of a piece that most likely have a name: the chorus is the loudest of what recurs, the verse the longest of the rest, the
 * bridge the longest that does not recur within the piece. Levels are those of the beats, in dB. Undefined if the piece has none.
 */
export const sectionsNamed = (
  name: SectionName,
  sections: readonly Section[],
  levels: readonly number[],
): readonly Section[] | undefined => {
  const [first] = sections
  const last = sections.at(-1)
  const groups = groupsOf(sections, levels)
  if (!first || groups.length < 2) return undefined
  if (name === 'intro') return [first]
  const recurring = groups.filter(({ sections: { length } }) => length > 1)
  const chorus = largest(recurring, ({ level }) => level)
  if (name === 'chorus' || (name === 'verse' && !chorus)) return chorus?.sections
  const isBridge = ({ sections: [only, ...more] }: Group) => more.length === 0 && only !== first && only !== last
  const others = groups.filter((group) => group !== chorus && (name === 'verse' || isBridge(group)))
  return largest(others, ({ beats }) => beats)?.sections
}
