/** `broadcast-replica.ts NATS KEPT`: an edge of its own that follows the topic of broadcasts; says where it is, and serves until it is ended. */
import { serveBroadcast } from './broadcast.ts'

const [nats = '', kept = '1000'] = process.argv.slice(2)
const served = await serveBroadcast({ kept: Number(kept), over: { nats } })
process.on('SIGTERM', () => void served.close().then(() => process.exit(0)))
process.stdout.write(`${served.origin}\n`)
