const start = Date.parse('2026-03-01T09:00:00Z')

const messages: readonly (readonly [severity: string, text: string])[] = [
  ['INFO', 'GET /products/17 200 12 ms'],
  ['WARN', 'slow query took 900 ms: SELECT * FROM orders'],
  ['ERROR', 'connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.7'],
  ['CRITICAL', 'Out of memory: Killed process 71 (node)'],
]

/** Lines of a log, one every ten seconds, of each severity in turn. */
export const logLines = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const [severity, text] = messages[index % messages.length] ?? ['INFO', '']
    return `${new Date(start + index * 10_000).toISOString()} ${severity} ${text} #${index}`
  }).join('\n')

/** Sends lines to an installation as a sender would. */
export const pushLines = async (origin: string, source: string, texts: readonly string[], key = ''): Promise<void> => {
  const response = await fetch(`${origin}/logs/api/glean/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ source_id: source, entries: texts.map((text) => ({ text })) }),
  })
  if (!response.ok) throw new Error(`The batch was answered with ${response.status}: ${await response.text()}`)
}
