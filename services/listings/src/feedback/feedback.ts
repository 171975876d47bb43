import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Egress } from '@trellis/kit/egress'
import { serviceError } from '@trellis/kit/errors'
import type { ListingsConfig } from '../config.ts'
import type { Dependencies } from '../dependencies.ts'
import { createTrackerCall } from './call-tracker.ts'
import { type Feedback, issueBody, issueTitle } from './issue-text.ts'
import { abandonFeedback, beginFeedback, findFeedback, type Limits, recordIssue } from './store.ts'
import { createIssue, type Issue, type Label, trackerKinds } from './trackers.ts'

const product = 'listings'
/** Version of the service, as in its API document. */
const version = '0.1.0'
/** Describes the machine only as far as bugs may depend on it: issues may be public. */
const platform = `${process.platform} ${process.arch}, Node ${process.versions.node}`

const limits: Limits = { user: 10, all: 100, repeatMilliseconds: 60_000, claimMilliseconds: 90_000 }
const waiting = { pollMilliseconds: 250, polls: 80 }

const commonLabels: readonly Label[] = [
  { name: 'beta-feedback', color: '0075ca' },
  { name: 'needs-triage', color: 'e4e669' },
]
const labelsByType: Readonly<Record<Feedback['type'], Label>> = {
  bug: { name: 'bug', color: 'd73a4a' },
  feature: { name: 'feature-request', color: 'a2eeef' },
  other: { name: 'question', color: 'd876e3' },
}

type Settings = Pick<
  ListingsConfig,
  'issueTrackerToken' | 'issueTrackerUrl' | 'issueTrackerRepository' | 'issueTrackerKind' | 'demoMode'
>

/** Variables of the tracker that are not set. */
const missingSettings = ({ issueTrackerToken, issueTrackerUrl, issueTrackerRepository }: Settings): string[] => [
  ...(issueTrackerToken === undefined ? ['ISSUE_TRACKER_API_TOKEN'] : []),
  ...(issueTrackerUrl === undefined ? ['ISSUE_TRACKER_URL'] : []),
  ...(issueTrackerRepository === undefined ? ['ISSUE_TRACKER_REPO'] : []),
]

export const isFeedbackEnabled = (settings: Settings): boolean =>
  missingSettings(settings).length === 0 && !settings.demoMode

/** Throws 503 without a tracker, and 403 in demo mode. */
export const requireFeedback = (settings: Settings): void => {
  const missing = missingSettings(settings)
  if (missing.length > 0)
    throw serviceError(
      'unavailable',
      `Feedback is disabled: no issue tracker is configured. Set ${missing.join(', ')}.`,
    )
  if (settings.demoMode) throw serviceError('forbidden', 'This is a demo (DEMO_MODE), which takes no feedback.')
}

const digestOf = (userId: string, feedback: Feedback): string =>
  createHash('sha256')
    .update(JSON.stringify([userId, feedback]))
    .digest('hex')

export type FeedbackDependencies = Pick<Dependencies, 'db' | 'config' | 'now'> & {
  readonly egress: Pick<Egress, 'fetch'>
}

const create = (dependencies: FeedbackDependencies, feedback: Feedback, signal: AbortSignal): Promise<Issue> => {
  const { config, egress, now } = dependencies
  const { issueTrackerToken: token = '', issueTrackerUrl: url = '', issueTrackerRepository: repository = '' } = config
  const kind = trackerKinds[config.issueTrackerKind]
  const call = createTrackerCall({ egress, url, headers: kind.headers(token), token })
  const title = issueTitle(feedback)
  const body = issueBody(feedback, { product, version, platform, sentAt: now() })
  return createIssue(
    { call, kind, repository, signal },
    { title, body, labels: [...commonLabels, labelsByType[feedback.type]] },
  )
}

/** Waits for the issue that another request is creating from the same text; undefined if that failed. */
const awaitIssue = async (
  { db }: FeedbackDependencies,
  digest: string,
  signal: AbortSignal,
): Promise<Issue | undefined> => {
  for (let polls = 0; polls < waiting.polls; polls += 1) {
    await sleep(waiting.pollMilliseconds, undefined, { signal })
    const row = await findFeedback(db, digest)
    if (row === undefined) return undefined
    if (row.issue_number !== null && row.issue_url !== null) return { number: row.issue_number, url: row.issue_url }
  }
  return undefined
}

/**
 * Creates an issue from a user's feedback. The same text sent again within a minute, also at the same time, returns the same
 * issue. Throws 409 if the other request with the same text failed, 429 beyond the limits, and what the tracker causes.
 */
export const sendFeedback = async (
  dependencies: FeedbackDependencies,
  { userId, feedback, signal }: { readonly userId: string; readonly feedback: Feedback; readonly signal: AbortSignal },
): Promise<Issue> => {
  const { db, now } = dependencies
  const digest = digestOf(userId, feedback)
  const begun = await beginFeedback(db, { digest, userId, now: now().getTime() }, limits)
  if (begun.kind === 'limited')
    throw serviceError('rate_limited', 'Much feedback was sent in the last hour. Try again later.', {
      retryAfterSeconds: begun.retryAfterSeconds,
    })
  if (begun.kind === 'sent') return { number: begun.row.issue_number ?? 0, url: begun.row.issue_url ?? '' }
  if (begun.kind === 'pending') {
    const issue = await awaitIssue(dependencies, digest, signal)
    if (issue !== undefined) return issue
    throw serviceError('conflict', 'The same feedback was being sent by another request, which failed. Send it again.')
  }
  try {
    // A client that leaves does not stop the creation, which may have happened already: it can send the same text again.
    const issue = await create(dependencies, feedback, AbortSignal.timeout(limits.claimMilliseconds - 10_000))
    await recordIssue(db, digest, issue)
    return issue
  } catch (error) {
    await abandonFeedback(db, digest)
    throw error
  }
}
