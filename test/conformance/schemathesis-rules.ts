import { type Parameter, type Route, resolve, type Schema } from './document.ts'

/**
 * Statuses by which an operation may refuse what its schema accepts, where it declares them: nothing has the id, its state does not allow it,
 * a limit is reached, or what stands behind the installation is missing.
 */
const refusals = ['404', '409', '429', '502', '503', '504']

/** Statuses of servers behind the installation, which a fuzzed installation does not have. */
const upstream = ['502', '503', '504']

/** What else single operations answer to what their schemas accept. */
const others: Record<string, { statuses: string[]; why: string }> = {
  'DELETE /logs/api/context/docs': { statuses: ['422'], why: 'all must be said to be true' },
  'DELETE /logs/api/context/facts': { statuses: ['422'], why: 'one of three parameters must be there' },
  'POST /logs/api/bundles': { statuses: ['400', '422'], why: 'a bundle is read by its version, not by a schema' },
  'POST /logs/api/ingest/media-monitor': {
    statuses: ['400', '401', '422'],
    why: 'any text may be sent, but only objects are read; settings may ask for a token',
  },
  'PATCH /logs/api/entries/{entry_id}': { statuses: ['422'], why: 'only three severities may be set' },
  'POST /logs/api/glean/batch': {
    statuses: ['400', '415'],
    why: 'the encoding is any text, and the body may be empty',
  },
  'PATCH /logs/api/settings': { statuses: ['400'], why: 'names of devices are JSON in a string' },
  'POST /logs/api/context/docs/upload': { statuses: ['415'], why: 'the type is that of the content' },
  'POST /music/api/chains': { statuses: ['415'], why: 'the type is that of the content' },
  'POST /logs/branches/{slug}/api/glean/batch': { statuses: ['401', '415'], why: 'its key is that of one branch' },
}

/** Whether a value is or holds a text whose rules are said in words: times, cursors, names of zones and formats, paths. */
const isText = (given: Schema, depth = 0): boolean => {
  const schema = resolve(given)
  if (depth > 4 || schema.enum || schema.const !== undefined) return false
  if (schema.anyOf?.some((one) => isText(one, depth + 1))) return true
  if ([schema.type].flat().includes('string')) return true
  return [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])].some((one) =>
    isText(one, depth + 1),
  )
}

const readsText = ({ operation: { parameters = [], requestBody } }: Route): boolean =>
  parameters.some(({ in: place, schema }: Parameter) => place !== 'path' && isText(schema)) ||
  Object.values(requestBody?.content ?? {}).some(({ schema }) => schema !== undefined && isText(schema))

const list = (statuses: readonly string[]) => `[${statuses.map((status) => JSON.stringify(status)).join(', ')}]`

const rulesOf = (route: Route): string => {
  const { method, path, operation } = route
  const { operationId, responses } = operation
  const declared = (statuses: readonly string[]) => statuses.filter((status) => status in responses)
  const extra = others[`${method} ${path}`]?.statuses ?? []
  return [
    '[[operations]]',
    `include-operation-id = ${JSON.stringify(operationId)}`,
    '[operations.checks.positive_data_acceptance]',
    `expected-statuses = ${list(['2xx', '3xx', ...declared([...refusals, ...(readsText(route) ? ['422'] : []), ...extra])])}`,
    '[operations.checks.not_a_server_error]',
    `expected-statuses = ${list(['2xx', '3xx', '4xx', ...declared(upstream)])}`,
    '',
  ].join('\n')
}

/** The part of the configuration of Schemathesis that follows from what each operation declares. */
export const operationRules = (routes: readonly Route[]): string => routes.map(rulesOf).join('\n')
