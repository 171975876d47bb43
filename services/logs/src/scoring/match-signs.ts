import { type AttackSign, signOf } from './attack-sign.ts'
import { hostSigns } from './host-signs.ts'
import { isOrdinary } from './ordinary-texts.ts'
import { webSigns } from './web-signs.ts'

export const attackSigns: readonly AttackSign[] = [...webSigns, ...hostSigns].map(signOf)

/** So much of a text is matched: bodies of requests are seldom logged, and a line may have a megabyte. */
const lookedAt = 4_096
/** What is encoded twice gets past a filter that decodes once. */
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
/** Some servers make a request safe to show before they log it. */
const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity) : text

/** A text as it stands and as a server may come to read it; in lower case. */
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

/** Signs are told apart by their words in so many groups, those that bits of a number leave beside another mark. */
const groups = 30

/** The words of each group of signs: sign `n` is in group `n % 30`. */
export const signGroups: readonly ReadonlySet<string>[] = Array.from(
  { length: groups },
  (_, group) => new Set(attackSigns.flatMap(({ words }, index) => (index % groups === group ? words : []))),
)

/**
 * The signs of attacks that a text has, in the order of the table. Of bit `n` of `having` it is said whether the text has a word of group `n`;
 * without one none of its signs is there. What is encoded has words that are not seen: all signs are asked of it.
 */
export const matchSigns = (text: string, having = -1): AttackSign[] => {
  const readings = readingsOf(text)
  const found: AttackSign[] = []
  const asked = readings.length > 1 ? -1 : having
  for (let index = 0; index < attackSigns.length; index++) {
    const sign = attackSigns[index]
    if (!sign || (asked & (1 << (index % groups))) === 0) continue
    for (const reading of readings) {
      if (!sign.matcher.test(reading) || isOrdinary(sign.label, reading)) continue
      found.push(sign)
      break
    }
  }
  return found
}
