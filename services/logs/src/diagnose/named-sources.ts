import { wordsOf } from '../segments/tokens.ts'
import { namesOfProgram } from '../sources/program-names.ts'
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

/** Sources whose host, the first part of their id, is a word of the symptom: `nas:smbd`, `nas:kernel`. */
const sourcesOfHost = (keywords: ReadonlySet<string>, sourceIds: readonly string[]): string[] => {
  const ofHost = sourceIds.filter((sourceId) => {
    const [host, ...rest] = sourceId.split(':')
    return rest.length > 0 && host !== undefined && host.length >= 3 && keywords.has(host.toLowerCase())
  })
  return ofHost.length > maxOfHost ? [] : ofHost
}

/**
 * The sources that a symptom names: by all meaningful words of the id, or by one of at least three characters that is unique to it. If there are
 * none, the sources of a host that the symptom names.
 */
export const namedSources = (symptom: string, sourceIds: readonly string[]): string[] => {
  const symptomWords = new Set(wordsOf(symptom).flatMap(namesOfProgram))
  const keywords = new Set(keywordsOf(symptom).flatMap(namesOfProgram))
  const wordsBySource = sourceIds.map((sourceId) => ({
    sourceId,
    words: wordsOf(sourceId).filter((word) => !tooCommon.has(word) && !/^\d+$/.test(word)),
  }))
  const uses = new Map<string, number>()
  for (const { words } of wordsBySource) for (const word of new Set(words)) uses.set(word, (uses.get(word) ?? 0) + 1)
  const named = wordsBySource
    .filter(({ words }) => {
      if (words.length === 0) return false
      // Articles and other small words do not name a source: "a disk" is not about a.log.
      if (words.every((word) => symptomWords.has(word)) && words.some((word) => keywords.has(word))) return true
      return words.some((word) => word.length >= 3 && keywords.has(word) && uses.get(word) === 1)
    })
    .map(({ sourceId }) => sourceId)
  return named.length > 0 ? named : sourcesOfHost(keywords, sourceIds)
}
