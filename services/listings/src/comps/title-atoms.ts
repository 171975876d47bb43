/**
 * A title in atoms: runs of letters and numbers, so that "RTX3080", "RTX 3080" and "rtx-3080" are equal. Lower-cased, without
 * accents, decimals with a point. A plus sign right after an atom ("S23+") is the atom "plus". Capacities have the English unit.
 */
export type Atom = {
  readonly text: string
  /** Whether nothing separates it from the atom before: the letters of "3080Ti". */
  readonly isGlued: boolean
}

const pattern = /\p{L}+|\d+(?:[.,]\d+)*|(?<=[\p{L}\d])\+(?![\p{L}\d])/gu
/** A decimal separator between digits; three digits after a comma are thousands. */
const asNumber = (text: string): string => text.replace(/,(?=\d{3}(?!\d))/g, '').replaceAll(',', '.')

/** Lower-cases a text and removes accents: "Hülle" and "hulle" are equal. */
export const plainText = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')

/** Units of capacity in French and Russian: "128Go" is "128GB". */
const capacities: Readonly<Record<string, string>> = {
  ko: 'kb',
  mo: 'mb',
  go: 'gb',
  to: 'tb',
  мб: 'mb',
  гб: 'gb',
  тб: 'tb',
}

const startsWithDigit = (text: string): boolean => /^\d/.test(text)

const textOf = (raw: string, before: Atom | undefined): string => {
  if (raw === '+') return 'plus'
  if (startsWithDigit(raw)) return asNumber(raw)
  return (before !== undefined && startsWithDigit(before.text) ? capacities[raw] : undefined) ?? raw
}

export const atomsOf = (title: string): readonly Atom[] => {
  const atoms: Atom[] = []
  let end = -1
  for (const match of plainText(title).matchAll(pattern)) {
    const [raw] = match
    const text = textOf(raw, atoms.at(-1))
    atoms.push({ text, isGlued: match.index === end && raw !== '+' })
    end = match.index + raw.length
  }
  return atoms
}

/** Where a run of atoms occurs in a title: the indexes of its first atoms. */
export const runsIn = (title: readonly Atom[], run: readonly Atom[]): readonly number[] =>
  run.length === 0
    ? []
    : title.flatMap((_, start) =>
        run.every(({ text }, offset) => title[start + offset]?.text === text) ? [start] : [],
      )

const century = (year: string): number => (Number(year) < 50 ? 2000 : 1900) + Number(year)
const isYear = (text: string): boolean => /^(?:19|20)\d\d$/.test(text)

/** Whether a title names a span of years that includes one: "2008-2013" and "09-14" include 2011. */
export const spansYear = (title: string, year: string): boolean => {
  if (!isYear(year)) return false
  const desired = Number(year)
  for (const [, from = '', to = ''] of title.matchAll(/(?<!\d)((?:19|20)?\d\d)\s?[-–—/]\s?((?:19|20)?\d\d)(?!\d)/g)) {
    const first = from.length === 2 ? century(from) : Number(from)
    const last = to.length === 2 ? century(to) : Number(to)
    if (first <= desired && desired <= last && last - first < 60) return true
  }
  return false
}
