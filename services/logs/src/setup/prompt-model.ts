import { type ChatLimits, chat, LanguageModelError } from '@trellis/kit/language-model'
import type { Dependencies } from '../dependencies.ts'

/** A request waits for the response, which is a single line. */
const limits: ChatLimits = {
  stallMilliseconds: 10_000,
  totalMilliseconds: 20_000,
  characters: 4_000,
  busyMilliseconds: 2_000,
}

/** Sends a prompt to the configured model and returns its short response; undefined without a model, or after a failure, which is logged. */
export const promptModel = async (
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
  let response = ''
  try {
    const parts = chat({ baseUrl, model, apiKey }, messages, { upstream, signal, limits })
    for await (const { text, replaces } of parts) response = replaces ? text : response + text
  } catch (error) {
    if (!(error instanceof LanguageModelError)) throw error
    log.warn({ reason: error.message }, 'the language model failed to interpret the description of a source')
    return undefined
  }
  return response
}
