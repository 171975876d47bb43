import { invalidField, isServiceError } from '@trellis/kit/errors'
import type { Call, Handlers } from '@trellis/kit/rpc'
import type { DiagnoseFrame, DiagnoseRequest, LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { reportMissing } from '../branches/report-missing.ts'
import type { Dependencies } from '../dependencies.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { utc, zoneOf } from '../formats/zone.ts'
import { readWindow } from '../search/read-request.ts'
import { requireLocalCaller } from '../session/local-callers.ts'
import type { SettingsValues } from '../settings/declared.ts'
import { isHeaderSafe } from '../settings/kinds.ts'
import { withPriority } from '../threads/with-priority.ts'
import { diagnose } from './diagnose.ts'
import type { DiagnoseInput, Step } from './steps.ts'

type DiagnoseHandlers = Pick<Handlers<typeof LogsServiceDefinition>, 'diagnose' | 'diagnoseStream'>
type Of<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>

const isSet = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== ''

/**
 * The model of the request, completed from the settings; none without an address. The API key of the settings is only sent to the server of the
 * settings.
 */
const modelOf = (settings: SettingsValues, { llm }: DiagnoseRequest): Pick<DiagnoseInput, 'model' | 'modelProblem'> => {
  const ownAddress = isSet(llm?.baseUrl) ? llm.baseUrl : undefined
  const baseUrl = ownAddress ?? settings.llm_base_url
  if (baseUrl === '') return {}
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw invalidField(
      ['body', 'llm', 'base_url'],
      'llm.base_url must be an address that starts with http:// or https://.',
    )
  const model = isSet(llm?.model) ? llm.model : settings.llm_model
  if (!isHeaderSafe(llm?.apiKey ?? ''))
    throw invalidField(
      ['body', 'llm', 'api_key'],
      'llm.api_key must have printable ASCII characters only: it is sent in a header.',
    )
  if (isSet(llm?.apiKey) || ownAddress !== undefined) return { model: { baseUrl, model, apiKey: llm?.apiKey ?? '' } }
  try {
    return { model: { baseUrl, model, apiKey: settings.llm_api_key } }
  } catch (error) {
    // A key that cannot be decrypted does not prevent a diagnosis by rules.
    if (!isServiceError(error, 'unavailable')) throw error
    return { modelProblem: error.message }
  }
}

const inputOf = async (dependencies: Dependencies, request: DiagnoseRequest, call: Call): Promise<DiagnoseInput> => {
  const { signal } = call
  // The server sends requests to this address.
  if (isSet(request.llm?.baseUrl)) requireLocalCaller(dependencies, call, 'llm.base_url may be set')
  if (request.query.trim() === '')
    throw invalidField(['body', 'query'], 'query must not be blank: describe the problem.')
  const zone = isSet(request.timezone)
    ? zoneOf(request.timezone)
    : (zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? utc)
  if (!zone)
    throw invalidField(['body', 'timezone'], `"${request.timezone}" is not a time zone: use one such as Europe/Berlin.`)
  const window = readWindow(request, 'body')
  const settings = await dependencies.settings.read()
  return {
    query: request.query,
    sourceFilter: isSet(request.sourceFilter) ? request.sourceFilter : undefined,
    ...window,
    zone,
    now: dependencies.now(),
    ...modelOf(settings, request),
    audience: settings.tech_level,
    upstream: dependencies.upstream,
    knowledge: dependencies.context.knowledge,
    signal,
  }
}

/** Causes and timeline, which follow from rules, also with a summary by a model. */
const followingFromRules = (step: Of<'reasoning'> | undefined) => ({
  suspectedCauses: (step?.causes ?? []).map(({ title, confidence, evidence }) => ({ title, confidence, evidence })),
  timeline: step?.timeline ?? [],
  timelineLeftOut: step?.leftOut ?? null,
})

/** The frame of a step; the question itself has none. */
const frameOf = (step: Step): DiagnoseFrame['event'] => {
  if (step.kind === 'status') return { $case: 'status', value: { stage: step.stage, detail: step.detail } }
  if (step.kind === 'summary') {
    const { text, source, counts, partial } = step
    return {
      $case: 'summary',
      value: { text, source, byDomain: counts.byDomain, bySeverity: counts.bySeverity, partial },
    }
  }
  if (step.kind === 'entries')
    return { $case: 'entries', value: { entries: step.entries.map(presentEntry), layer: step.layer } }
  return step.kind === 'reasoning'
    ? { $case: 'reasoning', value: { text: step.text, ...followingFromRules(step) } }
    : null
}

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

export const diagnoseRpc = (dependencies: Dependencies): DiagnoseHandlers => {
  const engine = withPriority(dependencies.engine, 'batch')
  return {
    diagnose: async (request, call) => {
      const started = performance.now()
      const found: {
        question?: Of<'question'>
        summary?: Of<'summary'>
        reasoning?: Of<'reasoning'>
        entries: StoredEntry[]
      } = { entries: [] }
      for await (const step of diagnose(engine, await inputOf(dependencies, request, call))) {
        if (step.kind === 'question') found.question = step
        else if (step.kind === 'summary') found.summary = step
        else if (step.kind === 'reasoning') found.reasoning = step
        else if (step.kind === 'entries') found.entries.push(...step.entries)
      }
      const { question, summary, reasoning, entries } = found
      reportMissing(call.head, reasoning?.away)
      return {
        query: request.query,
        window: {
          start: iso(question?.window.start ?? null),
          end: iso(question?.window.end ?? null),
          source: question?.window.source ?? 'default',
        },
        keywords: question?.keywords ?? [],
        summary: {
          text: summary?.text ?? '',
          source: summary?.source ?? 'rules',
          ...(summary?.counts ?? { byDomain: {}, bySeverity: {}, bySource: {} }),
        },
        entries: entries.map(presentEntry),
        templates: reasoning?.templates ?? [],
        facts: (reasoning?.context.facts ?? []).map(({ category, key, value }) => ({ category, key, value })),
        reasoning: reasoning?.text ?? '',
        ...followingFromRules(reasoning),
        tookMs: Math.round(performance.now() - started),
      }
    },
    async *diagnoseStream(request, call) {
      const started = performance.now()
      const input = await inputOf(dependencies, request, call)
      yield { eventId: '', event: null }
      let number = 0
      const frame = (event: DiagnoseFrame['event']): DiagnoseFrame => ({ eventId: String(++number), event })
      try {
        for await (const step of diagnose(engine, input)) {
          const event = frameOf(step)
          if (event !== null) yield frame(event)
        }
      } catch (error) {
        if (call.signal.aborted) throw error
        dependencies.log.error({ error }, 'diagnosis failed')
        yield frame({
          $case: 'failed',
          value: { detail: 'The diagnosis could not be finished; the log of the server has the cause.' },
        })
      }
      yield frame({ $case: 'done', value: { tookMs: Math.round(performance.now() - started) } })
    },
  }
}
