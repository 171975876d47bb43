import { isServiceError, type ServiceError, serviceError } from '../../errors/mod.ts'

/** SQLSTATEs of transactions that conflicted with another one and may succeed when retried. */
const lostCodes = new Set(['40001', '40P01'])

/** Messages for the caller about transient errors, by SQLSTATE. */
const serverSentences: Readonly<Record<string, string>> = {
  '25006': 'The database is read-only at the moment. Try again shortly.',
  '25P03': 'The database ended an idle transaction. Try again shortly.',
  '25P04': 'The database ended a transaction that took too long. Try again shortly.',
  '40001': 'Too many concurrent changes to the same data. Try again shortly.',
  '40P01': 'Too many concurrent changes to the same data. Try again shortly.',
  '55P03': 'The data stayed locked by another change. Try again shortly.',
  '57014': 'The database exceeded the time limit of a statement. Try again shortly.',
}

const overloaded = 'The database is overloaded. Try again shortly.'
const away = 'The database cannot be reached. Try again shortly.'

/** Classes of SQLSTATE: connection exceptions, insufficient resources, operator intervention (shutdown, crash, start-up). */
const serverClasses: Readonly<Record<string, string>> = { '08': away, '53': overloaded, '57': away }

/** Errors that the driver reports by message only. */
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
  // Node tries every address of a host and throws one error that contains the others.
  if (error instanceof AggregateError) return error.errors.map(sentenceOf).find((sentence) => sentence !== undefined)
  const text = error instanceof Error ? error.message : ''
  return driverSentences.find(([pattern]) => pattern.test(text))?.[1]
}

/** Converts transient errors of Postgres or its driver into `unavailable`; returns any other error unchanged. */
export const toStoreError = (error: unknown): unknown => {
  if (isServiceError(error)) return error
  const sentence = sentenceOf(error)
  return sentence === undefined ? error : serviceError('unavailable', sentence, { cause: error, retryAfterSeconds: 1 })
}

/** The error when too many queries wait for a connection. */
export const tooManyWaiting = (): ServiceError => serviceError('unavailable', overloaded, { retryAfterSeconds: 1 })

/** Whether a statement or transaction conflicted with another one: it was rolled back and may be retried. */
export const isLostRace = (error: unknown): boolean => {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const code = codeOf(each)
    if (code !== undefined && isServerError(each) && lostCodes.has(code)) return true
  }
  return false
}

/** Whether the connection is unusable: its server is gone, an answer is missing, or the protocol is out of step. */
export const isFatal = (error: unknown): boolean => {
  const code = codeOf(error)
  if (!isServerError(error)) return sentenceOf(error) !== undefined
  return code !== undefined && /^(08|57P|25P0[34])/.test(code)
}
