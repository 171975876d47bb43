import { type AttackSign, signOf } from './attack-sign.ts'
import { hostSigns } from './host-signs.ts'
import { isOrdinary } from './ordinary-texts.ts'
import { webSigns } from './web-signs.ts'

export const attackSigns: readonly AttackSign[] = [...webSigns, ...hostSigns].map(signOf)

/** Characters of a text that are matched: request bodies are seldom logged, and a line may have a megabyte. */
const lookedAt = 4_096
/** A double-encoded value passes a filter that decodes once. */
const maxDecodings = 2

const decodePercent = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded.replace(/%([0-9a-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    }
  })

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}
/** Some servers escape HTML in a request before they log it. */
const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity) : text

/** A text as it is and as a server may decode it, in lower case. */
const readingsOf = (text: string): string[] => {
  const readings = [text.slice(0, lookedAt).toLowerCase()]
  for (let time = 0; time < maxDecodings; time++) {
    const last = readings.at(-1) ?? ''
    if (!last.includes('%') && !last.includes('&')) break
    const decoded = decodeEntities(last.includes('%') ? decodePercent(last) : last)
    if (decoded === last) break
    readings.push(decoded)
  }
  return readings
}

/** The number of groups of signs that are distinguished by their words: the bits of a number that remain beside another mark. */
const groups = 30

/** The words of each group of signs: sign `n` is in group `n % 30`. */
export const signGroups: readonly ReadonlySet<string>[] = Array.from(
  { length: groups },
  (_, group) => new Set(attackSigns.flatMap(({ words }, index) => (index % groups === group ? words : []))),
)

/**
 * The signs of attacks that a text contains, in table order. Bit `n` of `having` is set if the text contains a word of group `n`; otherwise
 * none of the group's signs can match. Words of an encoded text are not visible, so it is matched against all signs.
 */
export const matchSigns = (text: string, having = -1): AttackSign[] => {
  const readings = readingsOf(text)
  const found: AttackSign[] = []
  const candidates = readings.length > 1 ? -1 : having
  for (let index = 0; index < attackSigns.length; index++) {
    const sign = attackSigns[index]
    if (!sign || (candidates & (1 << (index % groups))) === 0) continue
    for (const reading of readings) {
      if (!sign.matcher.test(reading) || isOrdinary(sign.label, reading)) continue
      found.push(sign)
      break
    }
  }
  return found
}
