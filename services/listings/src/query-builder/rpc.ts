import { invalidField, serviceError } from '@trellis/kit/errors'
import { type ChatLimits, complete, LanguageModelError } from '@trellis/kit/language-model'
import type { Handlers } from '@trellis/kit/rpc'
import type { QueryBuilderServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/query_builder.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireFeature } from '../session/access.ts'
import { categoryHints } from './hints.ts'
import { parseAnswer } from './parse-answer.ts'
import { answerSchema, promptFor } from './prompt.ts'

/** A user waits for the answer, which is a small object. */
export const builderLimits: ChatLimits = {
  stallMilliseconds: 30_000,
  totalMilliseconds: 60_000,
  characters: 8_000,
  busyMilliseconds: 5_000,
}

type BuilderDependencies = Pick<Dependencies, 'config' | 'db' | 'log' | 'signal' | 'upstream'> & {
  readonly limits?: ChatLimits
}

/** Sends messages to the configured model, and returns its answer. Throws 503 if there is none, or it fails. */
const answerOf = async (
  { config, log, signal: ending, upstream, limits = builderLimits }: BuilderDependencies,
  messages: ReturnType<typeof promptFor>,
  signal: AbortSignal,
): Promise<string> => {
  const { llmBaseUrl: baseUrl, llmModel: model, llmApiKey: apiKey } = config
  if (baseUrl === undefined)
    throw serviceError(
      'unavailable',
      'Searches in plain words need a language model: set LLM_BASE_URL and LLM_MODEL, or search with words.',
    )
  try {
    const { text } = await complete({ baseUrl, model, apiKey }, messages, {
      upstream,
      signal: AbortSignal.any([signal, ending]),
      limits,
      responseSchema: answerSchema,
    })
    return text
  } catch (error) {
    if (ending.aborted && !signal.aborted)
      throw serviceError('unavailable', 'The service is restarting. Try again shortly.', { retryAfterSeconds: 1 })
    if (!(error instanceof LanguageModelError)) throw error
    log.warn({ reason: error.message }, 'listings: the language model built no search')
    throw serviceError('unavailable', `${error.message} Try again later, or search with words.`, { cause: error })
  }
}

/** The handlers of the query builder. */
export const queryBuilderRpc = (dependencies: BuilderDependencies): Handlers<typeof QueryBuilderServiceDefinition> => ({
  buildSearch: async ({ naturalLanguage }, { caller, signal }) => {
    requireFeature(caller, 'llmQueryBuilder', 'Building a search from plain words')
    const description = naturalLanguage.trim()
    if (description === '') throw invalidField(['body', 'natural_language'], 'must describe what to search for')
    const { config, db } = dependencies
    const categories = await categoryHints(db, config.platform, description)
    const raw = await answerOf(dependencies, promptFor(description, categories), signal)
    const parsed = parseAnswer(raw, new Set(categories.map(({ category_id }) => category_id)))
    if (parsed.kind === 'unusable')
      throw serviceError('invalid', {
        message: `The language model gave an answer that cannot be used: ${parsed.reason}. Describe it in other words, or search with words.`,
        raw,
      })
    return { ...parsed.parameters, condition: [...parsed.parameters.condition] }
  },
})
