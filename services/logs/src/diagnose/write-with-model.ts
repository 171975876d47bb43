import type { ShownText } from '@trellis/kit/language-model'
import { type ChatEnd, chat, type LanguageModel, LanguageModelError } from '@trellis/kit/language-model'
import { maskText } from '../masking/mask-text.ts'
import { createPlaceholders, restoreText } from '../masking/placeholders.ts'
import { createCitationFilter, unfoundQuotations } from './citations.ts'
import { type Prompt, promptFor } from './prompt.ts'
import type { DiagnoseInput, Findings, Step } from './steps.ts'

/** How many kinds of entries are shown at first, and when that is more than the model has room for. */
const attempts = [40, 12, 4]
/** Words that come faster than this are told together. */
const toldEveryMilliseconds = 80

const list = (parts: readonly string[]): string => parts.join(', ')

/** What came of the model's words when they were held against the entries, in sentences. */
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
      ? [`It cited ${list(invented.map(String))}, which it was not shown; that was taken out.`]
      : []),
    ...(unfound.length > 0
      ? [`It quotes what stands in none of the entries: ${list(unfound.map((quote) => `"${quote}"`))}.`]
      : []),
    ...(end === 'cut' ? ['It was cut off at the length that its server allows.'] : []),
  ]
}

/** Asks with less where the model has no room for all. */
async function* askModel(
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
      const mayDoWithLess = error instanceof LanguageModelError && error.isTooLong && index < prompts.length - 1
      if (!mayDoWithLess) throw error
    }
  }
  throw new LanguageModelError('The model has no room for the question.')
}

/**
 * The summary in a model's words, as they come, held to the entries that it was shown; the rules' summary again where it fails.
 */
export async function* writeWithModel(
  input: DiagnoseInput,
  model: LanguageModel,
  findings: Findings,
): AsyncGenerator<Step> {
  const { rules, counts, ...rest } = findings
  const name = model.model || 'the language model'
  yield { kind: 'status', stage: 'model', detail: `Asking ${name}.` }
  // Nothing leaves unmasked; in the answer, addresses and names are put back, since its reader may see the entries anyway. Secrets are not.
  const placeholders = createPlaceholders()
  const mask = (plain: string) => maskText(plain, { placeholders })
  const restore = (masked: string) => restoreText(masked, placeholders)
  const { query, audience } = input
  const promptOf = (max: number) =>
    promptFor({ query, audience, rules, groups: findings.groups, context: findings.context, mask }, max)
  // Masked once before, so that what one part of a prompt names is known in all of it.
  for (const max of attempts.slice(0, 1)) promptOf(max)
  const prompts = attempts.filter((max, index) => index === 0 || max < findings.groups.length).map(promptOf)
  let prompt = prompts[0]
  let citations = createCitationFilter(prompt?.shown.length ?? 0)
  let text = ''
  let told = 0
  try {
    const asking = askModel(model, prompts, input)
    let step = await asking.next()
    for (; !step.done; step = await asking.next()) {
      if (step.value.prompt !== prompt || step.value.replaces) {
        prompt = step.value.prompt
        text = ''
        citations = createCitationFilter(prompt.shown.length)
      }
      text += citations.push(step.value.text)
      if (performance.now() - told < toldEveryMilliseconds || text.trim() === '') continue
      told = performance.now()
      yield { kind: 'summary', text: restore(text.trim()), source: 'llm', counts, partial: true }
    }
    text = (text + citations.end()).trim()
    if (text === '') throw new LanguageModelError('The model said nothing that holds.')
    yield { kind: 'summary', text: restore(text), source: 'llm', counts, partial: false }
    const held = { cited: citations.cited(), invented: citations.invented(), end: step.value }
    const verdict = prompt ? verdictOf(prompt, text, held).map(restore) : []
    yield {
      kind: 'reasoning',
      text: [
        `The summary is ${name}'s, of the entries shown; counts, causes and time line follow from rules.`,
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
