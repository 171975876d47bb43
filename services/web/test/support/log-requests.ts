const send = async (origin: string, method: string, path: string, body: Record<string, string>): Promise<unknown> => {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Changes settings of the log service, such as those of a tracker. */
export const changeSettings = async (origin: string, change: Record<string, string>): Promise<void> => {
  await send(origin, 'PATCH', '/logs/api/settings', change)
}

/** Creates an incident without an end, and returns its id. */
export const createIncident = async (
  origin: string,
  label: string,
  startedAt = '2026-03-01T09:00:00Z',
): Promise<string> => {
  const incident = { label, started_at: startedAt }
  return ((await send(origin, 'POST', '/logs/api/incidents', incident)) as { id: string }).id
}
