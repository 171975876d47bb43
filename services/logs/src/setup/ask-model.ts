import { type ChatLimits, chat, LanguageModelError } from '@trellis/kit/language-model'
import type { Dependencies } from '../dependencies.ts'

/** Somebody waits for the answer, which is one line. */
const limits: ChatLimits = {
  stallMilliseconds: 10_000,
  totalMilliseconds: 20_000,
  characters: 4_000,
  busyMilliseconds: 2_000,
}

/** Asks the configured model for a short answer; undefined where there is none or it fails, which the log says. */
export const askModel = async (
  { settings, upstream, log }: Pick<Dependencies, 'settings' | 'upstream' | 'log'>,
  { system, user }: { system: string; user: string },
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { llm_base_url: baseUrl, llm_model: model, llm_api_key: apiKey } = await settings.read()
  if (baseUrl === '') return undefined
  const messages = [
    { role: 'system' as const, content: system },
    { role: 'user' as const, content: user },
  ]
  let answer = ''
  try {
    const said = chat({ baseUrl, model, apiKey }, messages, { upstream, signal, limits })
    for await (const { text, replaces } of said) answer = replaces ? text : answer + text
  } catch (error) {
    if (!(error instanceof LanguageModelError)) throw error
    log.warn({ reason: error.message }, 'a description of a source could not be put to the language model')
    return undefined
  }
  return answer
}
