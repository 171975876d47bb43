/** The severities of the contract; an entry without one is code 0. */
export const severities = ['CRITICAL', 'ERROR', 'WARN'] as const
export type Severity = (typeof severities)[number]

export const severityCode: Record<Severity, number> = { CRITICAL: 1, ERROR: 2, WARN: 3 }
export const severityOfCode = (code: number): Severity | null => severities[code - 1] ?? null
