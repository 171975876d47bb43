/** Load generator process: `load.ts URL CONNECTIONS SECONDS` prints requests per second and latencies in ms as JSON. */
import autocannon from 'autocannon'

const [url = '', connections = '16', seconds = '3'] = process.argv.slice(2)
const result = await autocannon({ url, connections: Number(connections), duration: Number(seconds), pipelining: 1 })
if (result.non2xx > 0 || result.errors > 0)
  throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} requests failed.`)
process.stdout.write(
  JSON.stringify({ perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 }),
)
