import type { ShownText } from '@trellis/kit/language-model'
import { type ChatEnd, chat, type LanguageModel, LanguageModelError } from '@trellis/kit/language-model'
import { maskText } from '../masking/mask-text.ts'
import { createPlaceholders, restoreText } from '../masking/placeholders.ts'
import { createCitationFilter, unfoundQuotations } from './citations.ts'
import { type Prompt, promptFor } from './prompt.ts'
import type { DiagnoseInput, Findings, Step } from './steps.ts'

/** Maximum numbers of groups in the prompt: the first, and those of the retries if the prompt exceeds the model's context length. */
const attempts = [40, 12, 4]
/** Minimum interval between partial summaries; pieces that arrive faster are merged. */
const partialEveryMilliseconds = 80

const list = (parts: readonly string[]): string => parts.join(', ')

/** The results of checking the model's answer against the entries, as sentences. */
const verdictOf = (
  { shown, messages }: Prompt,
  text: string,
  { cited, invented, end }: { cited: number[]; invented: number[]; end: ChatEnd },
): string[] => {
  const sources = cited.flatMap((number) => {
    const entry = shown[number - 1]?.entries[0]
    return entry ? [`[${number}] is entry ${entry.entryId}`] : []
  })
  const unfound = unfoundQuotations(
    text,
    messages.map(({ content }) => content),
  )
  return [
    ...(sources.length > 0 ? [`Cited: ${list(sources)}.`] : ['It cites no entry: take it as a guess.']),
    ...(invented.length > 0
      ? [`It cited ${list(invented.map(String))}, which it was not shown; these numbers were removed.`]
      : []),
    ...(unfound.length > 0
      ? [`It quotes text that is in none of the entries: ${list(unfound.map((quote) => `"${quote}"`))}.`]
      : []),
    ...(end === 'cut' ? ['It was cut off at the length that its server allows.'] : []),
  ]
}

/** Sends the prompt, and shorter ones while it exceeds the model's context length. */
async function* requestAnswer(
  model: LanguageModel,
  prompts: readonly Prompt[],
  options: Pick<DiagnoseInput, 'upstream' | 'signal'>,
): AsyncGenerator<ShownText & { prompt: Prompt }, ChatEnd> {
  for (const [index, prompt] of prompts.entries()) {
    const reply = chat(model, prompt.messages, options)
    try {
      let step = await reply.next()
      for (; !step.done; step = await reply.next()) yield { prompt, ...step.value }
      return step.value
    } catch (error) {
      const canRetry = error instanceof LanguageModelError && error.isTooLong && index < prompts.length - 1
      if (!canRetry) throw error
    }
  }
  throw new LanguageModelError('The question exceeds the context length of the model.')
}

/** Streams the model's summary, checked against the entries that it was shown. If the model fails, yields the rules' summary again. */
export async function* writeWithModel(
  input: DiagnoseInput,
  model: LanguageModel,
  findings: Findings,
): AsyncGenerator<Step> {
  const { rules, counts, ...rest } = findings
  const name = model.model || 'the language model'
  yield { kind: 'status', stage: 'model', detail: `Requesting a summary from ${name}.` }
  // Nothing is sent unmasked. In the answer, addresses and names are restored, because its reader may see the entries anyway; secrets are not.
  const placeholders = createPlaceholders()
  const mask = (plain: string) => maskText(plain, { placeholders })
  const restore = (masked: string) => restoreText(masked, placeholders)
  const { query, audience } = input
  const promptOf = (max: number) =>
    promptFor({ query, audience, rules, groups: findings.groups, context: findings.context, mask }, max)
  // The first prompt is built once before: a value that one part of it masks must be masked in all parts.
  for (const max of attempts.slice(0, 1)) promptOf(max)
  const prompts = attempts.filter((max, index) => index === 0 || max < findings.groups.length).map(promptOf)
  let prompt = prompts[0]
  let citations = createCitationFilter(prompt?.shown.length ?? 0)
  let text = ''
  let lastPartial = 0
  try {
    const answering = requestAnswer(model, prompts, input)
    let step = await answering.next()
    for (; !step.done; step = await answering.next()) {
      if (step.value.prompt !== prompt || step.value.replaces) {
        prompt = step.value.prompt
        text = ''
        citations = createCitationFilter(prompt.shown.length)
      }
      text += citations.push(step.value.text)
      if (performance.now() - lastPartial < partialEveryMilliseconds || text.trim() === '') continue
      lastPartial = performance.now()
      yield { kind: 'summary', text: restore(text.trim()), source: 'llm', counts, partial: true }
    }
    text = (text + citations.end()).trim()
    if (text === '') throw new LanguageModelError("The model's answer contains no text.")
    yield { kind: 'summary', text: restore(text), source: 'llm', counts, partial: false }
    const checked = { cited: citations.cited(), invented: citations.invented(), end: step.value }
    const verdict = prompt ? verdictOf(prompt, text, checked).map(restore) : []
    yield {
      kind: 'reasoning',
      text: [
        `The summary is ${name}'s, of the entries shown; counts, causes and timeline follow from rules.`,
        ...verdict,
      ].join(' '),
      ...rest,
    }
  } catch (error) {
    if (!(error instanceof LanguageModelError)) throw error
    yield { kind: 'summary', text: rules, source: 'rules', counts, partial: false }
    yield { kind: 'reasoning', text: `${error.message} The summary follows from rules alone.`, ...rest }
  }
}
