import { wordsOf } from '../segments/tokens.ts'
import { namesOfProgram, withJoinedNames } from '../sources/program-names.ts'
import { keywordsOf } from './keywords.ts'

const tooCommon = new Set([
  'log',
  'logs',
  'upload',
  'file',
  'app',
  'service',
  'server',
  'error',
  'syslog',
  'messages',
  'access',
  'txt',
])

/** The name of a host with more sources does not select them. */
const maxOfHost = 5

type Place = { host: string; unit: string }
/** The host and the unit of `web:nginx` and of `syslog:web:nginx`; undefined for an id without parts. */
const placeOf = (sourceId: string): Place | undefined => {
  const parts = sourceId.split(':')
  const [host = '', ...unit] = parts.length > 2 ? parts.slice(1) : parts
  return unit.length === 0 ? undefined : { host: host.toLowerCase(), unit: unit.join(':') }
}

/** Sources whose host is a word of the symptom: `nas:smbd`, `syslog:nas:kernel`. */
const sourcesOfHost = (keywords: ReadonlySet<string>, sourceIds: readonly string[]): string[] => {
  const ofHost = sourceIds.filter((sourceId) => {
    const host = placeOf(sourceId)?.host
    return host !== undefined && host.length >= 3 && keywords.has(host)
  })
  return ofHost.length > maxOfHost ? [] : ofHost
}

const namingWords = (id: string): string[] => wordsOf(id).filter((word) => !tooCommon.has(word) && !/^\d+$/.test(word))

/** Sources whose unit the symptom names, on every host, or on the host that it names with the unit. */
const sourcesOfUnit = (
  isNamed: (words: readonly string[]) => boolean,
  keywords: ReadonlySet<string>,
  sourceIds: readonly string[],
): string[] => {
  const ofUnit = sourceIds.flatMap((sourceId) => {
    const place = placeOf(sourceId)
    return place && isNamed(namingWords(place.unit)) ? { sourceId, place } : []
  })
  const onHost = ofUnit.filter(({ place }) => keywords.has(place.host))
  return (onHost.length > 0 ? onHost : ofUnit).map(({ sourceId }) => sourceId)
}

/**
 * The sources that a symptom names: by all meaningful words of the id or of its unit, or by one of at least three characters that is unique to
 * it. If there are none, the sources of a host that the symptom names.
 */
export const namedSources = (symptom: string, sourceIds: readonly string[]): string[] => {
  const symptomWords = new Set(withJoinedNames(wordsOf(symptom)).flatMap(namesOfProgram))
  const keywords = new Set(withJoinedNames(keywordsOf(symptom)).flatMap(namesOfProgram))
  const wordsBySource = sourceIds.map((sourceId) => ({ sourceId, words: namingWords(sourceId) }))
  const uses = new Map<string, number>()
  for (const { words } of wordsBySource) for (const word of new Set(words)) uses.set(word, (uses.get(word) ?? 0) + 1)
  // Articles and other small words do not name a source: "a disk" is not about a.log.
  const isNamed = (words: readonly string[]) =>
    words.length > 0 && words.every((word) => symptomWords.has(word)) && words.some((word) => keywords.has(word))
  const ofUnit = new Set(sourcesOfUnit(isNamed, keywords, sourceIds))
  const named = wordsBySource
    .filter(
      ({ sourceId, words }) =>
        isNamed(words) ||
        ofUnit.has(sourceId) ||
        words.some((word) => word.length >= 3 && keywords.has(word) && uses.get(word) === 1),
    )
    .map(({ sourceId }) => sourceId)
  return named.length > 0 ? named : sourcesOfHost(keywords, sourceIds)
}
