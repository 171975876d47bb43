import { type Parameter, type Route, resolve, type Schema } from './document.ts'

/**
 * Statuses with which an operation may refuse a schema-valid request if it declares them: the id is unknown, the state does not allow it, a limit is
 * reached, or an upstream server is missing.
 */
const refusals = ['404', '409', '429', '502', '503', '504']

/** Statuses for missing upstream servers, which a fuzzed installation does not have. */
const upstream = ['502', '503', '504']

/** Further statuses with which single operations refuse schema-valid requests. */
const others: Record<string, { statuses: string[]; why: string }> = {
  'DELETE /logs/api/context/docs': { statuses: ['422'], why: 'the parameter all must be true' },
  'DELETE /logs/api/context/facts': { statuses: ['422'], why: 'one of three parameters is required' },
  'POST /logs/api/bundles': { statuses: ['400', '422'], why: 'a bundle is validated by its version, not by a schema' },
  'POST /logs/api/ingest/media-monitor': {
    statuses: ['400', '401', '422'],
    why: 'any text may be sent, but only objects are accepted; settings may require a token',
  },
  'PATCH /logs/api/entries/{entry_id}': { statuses: ['422'], why: 'only three severities may be set' },
  'POST /logs/api/glean/batch': {
    statuses: ['400', '415'],
    why: 'the encoding is any text, and the body may be empty',
  },
  'POST /listings/api/marketplace/account-deletion': {
    statuses: ['400', '412'],
    why: 'it requires the signature of the marketplace, and any JSON may be sent',
  },
  'PATCH /logs/api/settings': { statuses: ['400'], why: 'device_names is JSON in a string' },
  'POST /logs/api/context/docs/upload': { statuses: ['415'], why: 'the type is detected from the content' },
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/spectrogram': {
    statuses: ['422'],
    why: 'the stretch must begin before its end, and before the end of the node',
  },
  'POST /music/api/chains': { statuses: ['415'], why: 'the type is detected from the content' },
  'POST /logs/branches/{slug}/api/glean/batch': { statuses: ['401', '415'], why: 'it requires the key of the branch' },
}

/** Whether a value is or contains a string with rules that its schema does not express: times, cursors, time zones, formats, paths. */
const isText = (unresolved: Schema, depth = 0): boolean => {
  const schema = resolve(unresolved)
  if (depth > 4 || schema.enum || schema.const !== undefined) return false
  if (schema.anyOf?.some((one) => isText(one, depth + 1))) return true
  if ([schema.type].flat().includes('string')) return true
  return [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])].some((one) =>
    isText(one, depth + 1),
  )
}

const readsText = ({ operation: { parameters = [], requestBody } }: Route): boolean =>
  parameters.some((parameter: Parameter) => parameter.in !== 'path' && isText(parameter.schema)) ||
  Object.values(requestBody?.content ?? {}).some(({ schema }) => schema !== undefined && isText(schema))

/** All parts of a form are text, so a file that is a number in the fuzzer's case is a file with that text. */
const isForm = ({ operation: { requestBody } }: Route): boolean =>
  requestBody?.content['multipart/form-data'] !== undefined

const list = (statuses: readonly string[]) => `[${statuses.map((status) => JSON.stringify(status)).join(', ')}]`

/** Whether another route with a parameter has the same address, so that its methods are not unknown there: a seller may be called "export". */
const isShared = ({ path }: Route, routes: readonly Route[]): boolean =>
  routes.some(
    ({ path: other }) =>
      other !== path && other.includes('{') && new RegExp(`^${other.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  )

const rulesOf = (route: Route, routes: readonly Route[]): string => {
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
    ...(isForm(route) ? ['[operations.checks.negative_data_rejection]', 'enabled = false'] : []),
    ...(isShared(route, routes) ? ['[operations.checks.unsupported_method]', 'enabled = false'] : []),
    '',
  ].join('\n')
}

/** The part of the Schemathesis configuration that is derived from the declared statuses of each operation. */
export const operationRules = (routes: readonly Route[]): string =>
  routes.map((route) => rulesOf(route, routes)).join('\n')
