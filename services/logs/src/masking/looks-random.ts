const minSegmentCharacters = 12
const minSwitches = 3

const classOf = (code: number): number => {
  if (code >= 48 && code <= 57) return 0
  if (code >= 97 && code <= 122) return 1
  return code >= 65 && code <= 90 ? 2 : 3
}

/** The number of changes between digits, lower-case and upper-case letters. */
const switchesIn = (text: string): number => {
  let switches = 0
  for (let index = 1; index < text.length; index++)
    if (classOf(text.charCodeAt(index)) !== classOf(text.charCodeAt(index - 1))) switches++
  return switches
}

/**
 * Whether a value is random rather than written by a person: a long segment without punctuation whose character classes change often.
 * `user_profile_list_v2` is not, `9f86d081884c7d659a2feaa0c55ad015` is. Entropy alone does not distinguish such short texts.
 */
export const looksRandom = (value: string): boolean =>
  value
    .split(/[-_.:/=+~]+/)
    .some((segment) => segment.length >= minSegmentCharacters && switchesIn(segment) >= minSwitches)
