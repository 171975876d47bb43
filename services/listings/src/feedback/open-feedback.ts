import { createEgress } from '@trellis/kit/egress'
import { invalidField } from '@trellis/kit/errors'
import { type Implementation, implementation } from '@trellis/kit/rpc'
import {
  FeedbackServiceDefinition,
  FeedbackType,
  type SendFeedbackRequest,
} from '@trellis/protos/ts/trellis/listings/v1/feedback.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireSession } from '../session/access.ts'
import { isFeedbackEnabled, requireFeedback, sendFeedback } from './feedback.ts'
import { type Feedback, issueTitle } from './issue-text.ts'

const maxResponseBytes = 4 * 1024 * 1024

const types: Readonly<Partial<Record<FeedbackType, Feedback['type']>>> = {
  [FeedbackType.BUG]: 'bug',
  [FeedbackType.FEATURE]: 'feature',
}

const feedbackOf = (request: SendFeedbackRequest): Feedback => {
  const { title, description, repro, view, tab, submitter } = request
  for (const [name, value] of Object.entries({ title: issueTitle({ title }), description }))
    if (value.trim() === '') throw invalidField(['body', name], `${name} must not be blank.`)
  return { title, description, type: types[request.type] ?? 'other', repro, view: view || tab, submitter }
}

/** Forwards feedback to the configured issue tracker, which may be on a private network. */
export const openFeedback = (
  dependencies: Pick<Dependencies, 'db' | 'config' | 'now'>,
  opened: AsyncDisposableStack,
): Implementation => {
  const egress = opened.use(createEgress({ blockPrivate: false, maxResponseBytes }))
  const { config } = dependencies
  return implementation(FeedbackServiceDefinition, {
    getFeedbackStatus: async () => ({ enabled: isFeedbackEnabled(config) }),
    sendFeedback: async (request, { caller, signal }) => {
      requireFeedback(config)
      const userId = requireSession(caller, 'send feedback')
      const sent = await sendFeedback({ ...dependencies, egress }, { userId, feedback: feedbackOf(request), signal })
      return { issueNumber: sent.number, issueUrl: sent.url }
    },
  })
}
