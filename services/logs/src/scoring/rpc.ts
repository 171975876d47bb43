import { invalidField, serviceError } from '@trellis/kit/errors'
import { createPaging } from '@trellis/kit/paging'
import type { Handlers } from '@trellis/kit/rpc'
import type {
  Detection,
  ListDetectionsResponse,
  RunScorerRequest,
  ScorerStatus,
  ScoringServiceDefinition,
} from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
import { readMoment } from '../search/read-request.ts'
import type { Detections } from './detections.ts'
import type { ScorerRuns } from './run-task.ts'
import type { Scoring, ScoringPart } from './scoring.ts'
import type { DetectionRow } from './tables.ts'

const iso = (time: number) => new Date(time).toISOString()

const detectionOf = (row: DetectionRow): Detection => ({
  id: row.id,
  entryId: row.entry_id,
  scorer: row.scorer,
  score: Math.round(row.score * 1e4) / 1e4,
  label: row.label,
  severity: row.severity,
  text: row.text,
  sourceId: row.source_id,
  detectedAt: iso(row.detected_at),
  acknowledged: row.acknowledged === 1,
  acknowledgedAt: row.acknowledged_at === null ? null : iso(row.acknowledged_at),
  notes: row.notes,
  reason: row.reason,
  subject: row.subject,
  entryCount: row.entry_count,
  firstSeen: iso(row.first_time),
  lastSeen: iso(row.last_time),
})

const paging = createPaging('detections', { detectedAt: 'integer', id: 'text' })

type Optional<Value> = Value | null | undefined
type ListRequest = {
  scorer: string
  acknowledged?: Optional<boolean>
  label?: Optional<string>
  source?: Optional<string>
  limit?: Optional<number>
  cursor?: Optional<string>
}

const listOf = async (detections: Detections, request: ListRequest): Promise<ListDetectionsResponse> => {
  const limit = request.limit ?? 50
  const after = paging.read(request.cursor)
  const rows = await detections.list({
    limit: limit + 1,
    ...(request.scorer !== '' && { scorer: request.scorer }),
    ...(typeof request.acknowledged === 'boolean' && { acknowledged: request.acknowledged }),
    ...(request.label && { label: request.label }),
    ...(request.source && { sourceId: request.source }),
    ...(after && { after }),
  })
  const { page, nextCursor } = paging.toPage(rows, limit, ({ detected_at, id }) => ({ detectedAt: detected_at, id }))
  return { detections: page.map(detectionOf), nextCursor }
}

const rangeOf = ({ since, until }: RunScorerRequest) => {
  const range = {
    since: since ? readMoment('since', since, 'body') : undefined,
    until: until ? readMoment('until', until, 'body') : undefined,
  }
  if (range.since !== undefined && range.until !== undefined && range.since >= range.until)
    throw invalidField(['body', 'since'], 'since must be before until.')
  return range
}

const modelOf = ({ model, threshold }: ScoringPart): ScorerStatus['model'] => ({
  configured: model !== undefined,
  loaded: model?.model.isLoaded ?? false,
  problem: model?.model.problem ?? null,
  labels: [...(model?.labels() ?? [])],
  threshold,
})

export const scoringRpc = (
  { parts, detections }: Scoring,
  runs: ScorerRuns,
): Handlers<typeof ScoringServiceDefinition> => {
  const statusOf = async (part: ScoringPart, signal: AbortSignal): Promise<ScorerStatus> => {
    const { scorer } = part
    const [last, taskId, isBusy, counts, unscored] = await Promise.all([
      scorer.lastOutcome(),
      runs.current(scorer),
      scorer.isBusy(),
      detections.counts(scorer.name),
      scorer.unscored(signal),
    ])
    return {
      scorer: scorer.name,
      running: isBusy || taskId !== null,
      taskId,
      model: modelOf(part),
      lastRunAt: last && iso(last.finishedAt),
      lastRun: last && { ...last, startedAt: iso(last.startedAt), finishedAt: iso(last.finishedAt) },
      detections: counts.total,
      unacknowledged: counts.open,
      unscored,
      problem: last?.error ?? null,
    }
  }
  return {
    getAnomalyStatus: (_, { signal }) => statusOf(parts.anomaly, signal),
    getCybersecStatus: (_, { signal }) => statusOf(parts.cybersec, signal),
    runAnomaly: async (request) => runs.begin(parts.anomaly.scorer, rangeOf(request)),
    runCybersec: async (request) => runs.begin(parts.cybersec.scorer, rangeOf(request)),
    listDetections: (request) => listOf(detections, request),
    listCybersecDetections: (request) => listOf(detections, { ...request, scorer: 'cybersec' }),
    acknowledgeDetection: async ({ id, notes }) => {
      const row = await detections.acknowledge(id, notes ?? undefined)
      if (!row) throw serviceError('not_found', `There is no detection "${id}".`)
      return detectionOf(row)
    },
  }
}
