const second = 1_000
const minute = 60 * second
/** Minutes before now between which the database of the shop refuses connections. */
const outage = { from: 24, to: 17 }
/** Minutes in which only the database shows it. */
const alone = 0.5

type Line = { source: string; text: (time: string, index: number) => string }

const paths = ['/products/17', '/products/204', '/cart', '/search?q=lens', '/account', '/static/app.js']
const pathOf = (index: number) => paths[index % paths.length] ?? '/'
const millisecondsOf = (index: number) => 8 + ((index * 37) % 90)

/** What is logged on an ordinary day, in turn. */
const ordinary: readonly Line[] = [
  {
    source: 'web-1',
    text: (time, index) => `${time} INFO nginx: GET ${pathOf(index)} 200 ${millisecondsOf(index)} ms`,
  },
  {
    source: 'web-2',
    text: (time, index) => `${time} INFO nginx: GET ${pathOf(index + 2)} 200 ${millisecondsOf(index + 5)} ms`,
  },
  { source: 'shop', text: (time, index) => `${time} INFO shop: order ${48_210 + index} paid with card in 214 ms` },
  { source: 'shop', text: (time, index) => `${time} DEBUG shop: cache hit for ${pathOf(index)}` },
  {
    source: 'database',
    text: (time, index) =>
      `${time} WARN postgres: slow query took ${900 + ((index * 13) % 400)} ms: SELECT * FROM orders`,
  },
  { source: 'web-1', text: (time, index) => `${time} INFO nginx: POST /cart 302 ${millisecondsOf(index)} ms` },
]

/** What is logged in addition while the database refuses connections. */
const failing: readonly Line[] = [
  {
    source: 'web-1',
    text: (time, index) =>
      `${time} ERROR nginx: connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.${index % 40}, request: "GET ${pathOf(index)}"`,
  },
  {
    source: 'shop',
    text: (time, index) =>
      `${time} ERROR shop: order ${48_210 + index} failed: connect ECONNREFUSED 10.0.4.12:5432\n    at Pool.connect (pool.js:45:11)\n    at checkout (checkout.js:118:22)`,
  },
  { source: 'web-2', text: (time) => `${time} ERROR nginx: upstream timed out (110: Connection timed out) after 30 s` },
  {
    source: 'database',
    text: (time) => `${time} CRITICAL postgres: remaining connection slots are reserved, 100 of 100 are in use`,
  },
]

const lineAt = (lines: readonly Line[], at: number, index: number) => {
  const { source, text } = lines[index % lines.length] ?? { source: 'shop', text: () => '' }
  return { source, text: text(new Date(at).toISOString(), index) }
}

/** The lines of a shop in the hour before `now`, with an outage of its database, in the order of their times. */
export const shopLines = (now: number): { source: string; text: string }[] => {
  const lines: { source: string; text: string }[] = []
  for (let at = now - 60 * minute, index = 0; at < now; at += 6 * second, index += 1) {
    lines.push(lineAt(ordinary, at, index))
    const before = (now - at) / minute
    if (before > outage.from || before < outage.to) continue
    const from = before > outage.from - alone ? failing.filter(({ source }) => source === 'database') : failing
    for (let extra = 0; extra < 1 + (index % 3); extra += 1) lines.push(lineAt(from, at + extra * 90, index + extra))
  }
  return lines
}
