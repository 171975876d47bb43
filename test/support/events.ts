export type Event = { id: string | undefined; event: string; data: Record<string, unknown> }

const parse = (block: string): Event | undefined => {
  const fields = new Map(
    block
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return {
    id: fields.get('id'),
    event: fields.get('event') ?? 'message',
    data: JSON.parse(data) as Record<string, unknown>,
  }
}

/** Reads server-sent events until `isLast` returns true, the stream ends or 25 s have passed, then closes the stream. */
export const readEvents = async (
  url: string,
  isLast: (event: Event, all: Event[]) => boolean,
  {
    headers = {},
    init = {},
    onOpen,
  }: { headers?: Record<string, string>; init?: RequestInit; onOpen?: () => Promise<void> } = {},
): Promise<Event[]> => {
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(), 25_000)
  const events: Event[] = []
  const response = await fetch(url, { ...init, headers, signal: leaving.signal })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  await onOpen?.()
  let text = ''
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = parse(text.slice(0, end))
        text = text.slice(end + 2)
        if (!event) continue
        events.push(event)
        if (isLast(event, events)) return events
      }
    }
    return events
  } finally {
    clearTimeout(timer)
    leaving.abort()
  }
}
