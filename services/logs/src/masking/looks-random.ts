const shortestSegment = 12
const fewestSwitches = 3

const classOf = (code: number): number => {
  if (code >= 48 && code <= 57) return 0
  if (code >= 97 && code <= 122) return 1
  return code >= 65 && code <= 90 ? 2 : 3
}

/** How often digits, small and capital letters follow each other. */
const switchesIn = (text: string): number => {
  let switches = 0
  for (let index = 1; index < text.length; index++)
    if (classOf(text.charCodeAt(index)) !== classOf(text.charCodeAt(index - 1))) switches++
  return switches
}

/**
 * Whether a value was made by chance rather than by a person: a long stretch without punctuation in which kinds of characters change
 * often. `user_profile_list_v2` is none, `9f86d081884c7d659a2feaa0c55ad015` is one. Entropy by itself says no more of so few characters.
 */
export const looksRandom = (value: string): boolean =>
  value
    .split(/[-_.:/=+~]+/)
    .some((segment) => segment.length >= shortestSegment && switchesIn(segment) >= fewestSwitches)
