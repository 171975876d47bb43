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

/** A host with more sources than these is not looked through for its name alone. */
const maxOfHost = 5

/** The sources whose ids begin with a word of the symptom, as those of a host do: `nas:smbd`, `nas:kernel`. */
const sourcesOfHost = (keywords: ReadonlySet<string>, sourceIds: readonly string[]): string[] => {
  const ofHost = sourceIds.filter((sourceId) => {
    const [host, ...rest] = sourceId.split(':')
    return rest.length > 0 && host !== undefined && host.length >= 3 && keywords.has(host.toLowerCase())
  })
  return ofHost.length > maxOfHost ? [] : ofHost
}

/**
 * The sources that a symptom names: all meaningful words of the id, or one of them that is at least three characters and no other's. Where it
 * names none so, those of the host that it names.
 */
export const namedSources = (symptom: string, sourceIds: readonly string[]): string[] => {
  const said = new Set(wordsOf(symptom).flatMap(namesOfProgram))
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
      // An article or another small word names none: "a disk" is not about a.log.
      if (words.every((word) => said.has(word)) && words.some((word) => keywords.has(word))) return true
      return words.some((word) => word.length >= 3 && keywords.has(word) && uses.get(word) === 1)
    })
    .map(({ sourceId }) => sourceId)
  return named.length > 0 ? named : sourcesOfHost(keywords, sourceIds)
}
