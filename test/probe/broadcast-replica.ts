/** `broadcast-replica.ts NATS RETAINED`: an edge process that follows the broadcast topic; prints its origin and serves until SIGTERM. */
import { serveBroadcast } from './broadcast.ts'

const [nats = '', retained = '1000'] = process.argv.slice(2)
const served = await serveBroadcast({ retained: Number(retained), over: { nats } })
process.on('SIGTERM', () => void served.close().then(() => process.exit(0)))
process.stdout.write(`${served.origin}\n`)
