import { serviceError } from '@trellis/kit/errors'
import { expectSuccess, type TrackerCall } from './call-tracker.ts'

export type Label = { readonly name: string; readonly color: string }
export type NewIssue = { readonly title: string; readonly body: string; readonly labels: readonly Label[] }
export type Issue = { readonly number: number; readonly url: string }

/** How an API differs: what is in the headers, how lists page, and how an issue names its labels. */
type TrackerKind = {
  readonly headers: (token: string) => Readonly<Record<string, string>>
  readonly pageParameter: string
  readonly pageSize: number
  readonly color: (hex: string) => string
  readonly labelReference: (label: KnownLabel) => number | string
}

type KnownLabel = { readonly id: number; readonly name: string }

export const trackerKinds = {
  // https://forgejo.org/docs/latest/user/api-usage/; Gitea has the same API.
  forgejo: {
    headers: (token) => ({ authorization: `token ${token}` }),
    pageParameter: 'limit',
    pageSize: 50,
    color: (hex) => `#${hex}`,
    labelReference: ({ id }) => id,
  },
  // https://docs.github.com/en/rest/issues
  github: {
    headers: (token) => ({
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'Trellis',
    }),
    pageParameter: 'per_page',
    pageSize: 100,
    color: (hex) => hex,
    labelReference: ({ name }) => name,
  },
} as const satisfies Record<string, TrackerKind>

/** Maximum pages of labels that are read. */
const maxPages = 20

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const toLabel = (value: unknown): KnownLabel[] =>
  isObject(value) && typeof value.id === 'number' && typeof value.name === 'string'
    ? [{ id: value.id, name: value.name }]
    : []

type Tracker = {
  readonly call: TrackerCall
  readonly kind: TrackerKind
  readonly repository: string
  readonly signal: AbortSignal
}

const listLabels = async ({ call, kind, repository, signal }: Tracker): Promise<KnownLabel[]> => {
  const found: KnownLabel[] = []
  for (let page = 1; page <= maxPages; page += 1) {
    const path = `/repos/${repository}/labels?${kind.pageParameter}=${kind.pageSize}&page=${page}`
    const body = expectSuccess(await call({ method: 'GET', path }, signal))
    const labels = Array.isArray(body) ? body : []
    found.push(...labels.flatMap(toLabel))
    // A server may return fewer on a page than were requested, so only an empty page is the last for certain.
    if (labels.length === 0) break
  }
  return found
}

/** Labels are the same in any case: GitHub rejects a second one. */
const isNamed = (name: string) => (label: KnownLabel) => label.name.toLowerCase() === name.toLowerCase()

/** The labels of an issue, created where they are missing. */
const ensureLabels = async (tracker: Tracker, labels: readonly Label[]): Promise<KnownLabel[]> => {
  const { call, kind, repository, signal } = tracker
  const known = await listLabels(tracker)
  const ensured: KnownLabel[] = []
  for (const { name, color } of labels) {
    const existing = known.find(isNamed(name))
    if (existing !== undefined) {
      ensured.push(existing)
      continue
    }
    const body = { name, color: kind.color(color) }
    const answer = await call({ method: 'POST', path: `/repos/${repository}/labels`, body }, signal)
    // Another request may have created it at the same time.
    const raced = answer.status >= 400 ? (await listLabels(tracker)).find(isNamed(name)) : undefined
    const [created] = raced === undefined ? toLabel(expectSuccess(answer)) : [raced]
    if (created === undefined)
      throw serviceError('upstream_failed', `The issue tracker created the label ${name} without returning its id.`)
    ensured.push(created)
  }
  return ensured
}

/** Creates an issue with its labels. Throws `upstream_failed` or `upstream_timeout`. */
export const createIssue = async (tracker: Tracker, { title, body, labels }: NewIssue): Promise<Issue> => {
  const { call, kind, repository, signal } = tracker
  const ensured = await ensureLabels(tracker, labels)
  const path = `/repos/${repository}/issues`
  const issue = { title, body, labels: ensured.map((label) => kind.labelReference(label)) }
  const created = expectSuccess(await call({ method: 'POST', path, body: issue }, signal))
  const number = isObject(created) ? created.number : undefined
  const url = isObject(created) ? created.html_url : undefined
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || typeof url !== 'string')
    throw serviceError('upstream_failed', 'The issue tracker created an issue without returning its number and URL.')
  return { number, url }
}
