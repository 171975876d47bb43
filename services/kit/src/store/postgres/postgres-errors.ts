import { isServiceError, type ServiceError, serviceError } from '../../errors/mod.ts'

/** A transaction that lost against another one, and may succeed if it is tried again. */
const lostCodes = new Set(['40001', '40P01'])

/** What the server says when it cannot do it now, by SQLSTATE, with what a caller is told. */
const serverSentences: Readonly<Record<string, string>> = {
  '25006': 'The database takes no changes just now. Try again shortly.',
  '25P03': 'The database gave up on a transaction that stood still. Try again shortly.',
  '25P04': 'The database gave up on a transaction that took too long. Try again shortly.',
  '40001': 'Too many changes at once to the same data. Try again shortly.',
  '40P01': 'Too many changes at once to the same data. Try again shortly.',
  '55P03': 'The data stayed locked by another change. Try again shortly.',
  '57014': 'The database took longer over this than it may. Try again shortly.',
}

const overloaded = 'The database has no room for more work just now. Try again shortly.'
const away = 'The database cannot be reached just now. Try again shortly.'

/** Classes of SQLSTATE: connection exceptions, insufficient resources, operator intervention (shutdown, crash, start-up). */
const serverClasses: Readonly<Record<string, string>> = { '08': away, '53': overloaded, '57': away }

/** What the driver says in words alone. */
const driverSentences: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded when trying to connect$/, overloaded],
  [/^Query read timeout$/, away],
  [/^(Connection terminated|timeout expired|Client (has encountered|was closed))/, away],
]

const systemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

const isServerError = (error: unknown): boolean => error instanceof Error && 'severity' in error

const sentenceOf = (error: unknown): string | undefined => {
  const code = codeOf(error)
  if (code !== undefined && isServerError(error)) return serverSentences[code] ?? serverClasses[code.slice(0, 2)]
  if (code !== undefined && systemErrors.has(code)) return away
  // Node tries every address of a host, and says so in one error that holds the others.
  if (error instanceof AggregateError) return error.errors.map(sentenceOf).find((sentence) => sentence !== undefined)
  const text = error instanceof Error ? error.message : ''
  return driverSentences.find(([pattern]) => pattern.test(text))?.[1]
}

/** What Postgres or its driver threw, as `unavailable` where the reason will pass; else as it was. */
export const toStoreError = (error: unknown): unknown => {
  if (isServiceError(error)) return error
  const sentence = sentenceOf(error)
  return sentence === undefined ? error : serviceError('unavailable', sentence, { cause: error, retryAfterSeconds: 1 })
}

/** Makes the failure of a query that waits behind too many others. */
export const tooManyWaiting = (): ServiceError => serviceError('unavailable', overloaded, { retryAfterSeconds: 1 })

/** Whether a statement or transaction lost against another one: nothing of it is left, and it may be tried again. */
export const isLostRace = (error: unknown): boolean => {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const code = codeOf(each)
    if (code !== undefined && isServerError(each) && lostCodes.has(code)) return true
  }
  return false
}

/** Whether the connection has no more to give: its server went, its answer did not come, or it is out of step. */
export const isFatal = (error: unknown): boolean => {
  const code = codeOf(error)
  if (!isServerError(error)) return sentenceOf(error) !== undefined
  return code !== undefined && /^(08|57P|25P0[34])/.test(code)
}
