/** What a pattern's first character must be, where its source says so plainly. */
export type FirstCharacter = 'digit' | 'bracket' | 'any'

const openedGroup = /^\^(\((?:\?:|\?<\w+>))?(\\d|\\\[)(?![*?]|\{0)/

/** Where the group ends that begins at `start`, and whether it has alternatives at its own level. */
export const groupAt = (source: string, start: number): { end: number; hasAlternatives: boolean } => {
  let depth = 0
  let isClass = false
  let hasAlternatives = false
  for (let at = start; at < source.length; at++) {
    const mark = source[at]
    if (mark === '\\') at++
    else if (isClass) isClass = mark !== ']'
    else if (mark === '[') isClass = true
    else if (mark === '(') depth++
    else if (mark === '|' && depth === 1) hasAlternatives = true
    else if (mark === ')' && --depth === 0) return { end: at, hasAlternatives }
  }
  return { end: source.length, hasAlternatives }
}

/** Looks no further than the first group: 'any' is always true, if not always as much as could be said. Patterns have no alternatives outside of groups. */
export const firstCharacterOf = ({ source }: RegExp): FirstCharacter => {
  const found = openedGroup.exec(source)
  if (!found) return 'any'
  const [, group, first] = found
  if (group !== undefined) {
    const { end, hasAlternatives } = groupAt(source, 1)
    const next = source[end + 1]
    if (hasAlternatives || next === '?' || next === '*' || next === '{') return 'any'
  }
  return first === '\\d' ? 'digit' : 'bracket'
}

/** Spares a pattern most lines at the price of one comparison. */
export const mayStart = (first: FirstCharacter, line: string): boolean => {
  if (first === 'any') return true
  const code = line.charCodeAt(0)
  return first === 'digit' ? code >= 48 && code <= 57 : code === 91
}
