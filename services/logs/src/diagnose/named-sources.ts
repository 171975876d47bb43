import { wordsOf } from '../segments/tokens.ts'
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

/** The sources that a symptom names: all meaningful words of the id, or one of them that is at least three characters and no other's. */
export const namedSources = (symptom: string, sourceIds: readonly string[]): string[] => {
  const said = new Set(wordsOf(symptom))
  const keywords = new Set(keywordsOf(symptom))
  const wordsBySource = sourceIds.map((sourceId) => ({
    sourceId,
    words: wordsOf(sourceId).filter((word) => !tooCommon.has(word) && !/^\d+$/.test(word)),
  }))
  const uses = new Map<string, number>()
  for (const { words } of wordsBySource) for (const word of new Set(words)) uses.set(word, (uses.get(word) ?? 0) + 1)
  return wordsBySource
    .filter(({ words }) => {
      if (words.length === 0) return false
      if (words.every((word) => said.has(word))) return true
      return words.some((word) => word.length >= 3 && keywords.has(word) && uses.get(word) === 1)
    })
    .map(({ sourceId }) => sourceId)
}
